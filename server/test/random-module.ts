import fs from 'node:fs';
import path from 'node:path';

/* Modules that change at random from plan to plan, so that their plans contain every kind of change. */

/** A repeatable sequence of numbers from 0 to 1 (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Random = () => number;
type Options = { random: Random; previous: readonly string[]; dir: string; hasLocal: boolean };

const names = ['a', 'b', 'c', 'd', 'e'];
const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;

/**
 * Returns the text of a module and the names of its resources. Resources of the previous module (`previous`) that are
 * missing are destroyed, moved or forgotten; `dir` is a folder for the files that it writes with `hasLocal`.
 */
export function writeRandomModule({ random, previous, dir, hasLocal }: Options): { text: string; names: string[] } {
  const present = names.filter(() => random() < 0.6);
  const blocks = present.map((name) => resource(random, name, present));
  const gone = previous.filter((name) => !present.includes(name));
  const added = present.filter((name) => !previous.includes(name));
  for (const name of gone) {
    const chance = random();
    const target = added.shift();
    if (chance < 0.4 && target !== undefined)
      blocks.push(`moved {\n  from = terraform_data.${name}\n  to   = terraform_data.${target}\n}`);
    else if (chance < 0.7) blocks.push(removed(name));
  }
  for (const name of added)
    if (random() < 0.2 && !/count|for_each/.test(blocks.find((one) => one.includes(`"${name}"`)) ?? 'count'))
      blocks.push(`import {\n  to = terraform_data.${name}\n  id = "imported-${name}"\n}`);
  if (hasLocal) blocks.push(...files(random, dir));
  blocks.push(...outputs(random, present));
  if (random() < 0.3)
    blocks.push(
      `check "never" {\n  assert {\n    condition     = ${random() < 0.5}\n    error_message = "The check failed."\n  }\n}`,
    );
  return { text: `${blocks.join('\n')}\n`, names: present };
}

const removed = (name: string): string =>
  `removed {\n  from = terraform_data.${name}\n  lifecycle {\n    destroy = false\n  }\n}`;

function resource(random: Random, name: string, present: readonly string[]): string {
  const lines = [`input = "${Math.floor(random() * 3)}"`];
  const form = random();
  if (form < 0.2) lines.unshift(`count = ${Math.floor(random() * 3)}`);
  else if (form < 0.4) lines.unshift(`for_each = toset(${JSON.stringify(names.filter(() => random() < 0.5))})`);
  if (random() < 0.5) lines.push(`triggers_replace = ${Math.floor(random() * 2)}`);
  const other = pick(random, present);
  if (random() < 0.3 && other > name) lines.push(`depends_on = [terraform_data.${other}]`);
  if (random() < 0.3) lines.push('lifecycle {\n    create_before_destroy = true\n  }');
  // The object that a replace with create_before_destroy leaves behind when its destroy fails is deposed.
  if (random() < 0.2)
    lines.push(
      `provisioner "local-exec" {\n    when    = destroy\n    command = "exit ${random() < 0.5 ? 1 : 0}"\n  }`,
    );
  return `resource "terraform_data" "${name}" {\n  ${lines.join('\n  ')}\n}`;
}

function files(random: Random, dir: string): string[] {
  for (const name of ['x', 'y']) {
    const file = path.join(dir, name);
    if (fs.existsSync(file) && random() < 0.4) fs.rmSync(file);
  }
  const blocks = ['x', 'y']
    .filter(() => random() < 0.7)
    .map(
      (name) =>
        `resource "local_file" "${name}" {\n  filename = "${path.join(dir, name)}"\n  content  = "${Math.floor(random() * 2)}"\n}`,
    );
  const read = blocks.some((one) => one.includes('"x"')) && random() < 0.6;
  return read
    ? [...blocks, 'data "local_file" "read" {\n  filename   = local_file.x.filename\n  depends_on = [local_file.x]\n}']
    : blocks;
}

const outputs = (random: Random, present: readonly string[]): string[] =>
  ['first', 'second', 'third']
    .filter(() => random() < 0.6)
    .map((name) => {
      const value =
        random() < 0.5 || present.length === 0 ? Math.floor(random() * 2) : `terraform_data.${pick(random, present)}`;
      return `output "${name}" {\n  value     = ${value}\n  sensitive = ${random() < 0.3}\n}`;
    });
