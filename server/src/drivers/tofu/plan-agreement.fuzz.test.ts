import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { depth } from '../../../../e2e/fixtures/depth.ts';
import { createRandom, writeRandomModule } from '../../../test/random-module.ts';
import * as tofu from './index.ts';

/* The document of each genuine plan agrees with the stream that the tool printed while creating it. */

const cacheDir = tofu.toolCacheDir(process.env, os.homedir());
const sequences = depth({ quick: 1, deep: 100 });
const plansEach = 10;

type Tool = 'tofu' | 'terraform';
function findTool(name: Tool): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const built = path.join(cacheDir, 'tofu', '1.12.6', 'tofu');
  const candidates = [...(name === 'tofu' ? [built] : []), ...folders.map((folder) => path.join(folder, name))];
  return candidates.find((file) => fs.existsSync(file));
}

let root: string;
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'agreement-'));
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

function createModule(file: string, hasLocal: boolean) {
  const dir = path.join(root, 'module');
  const filesDir = path.join(root, 'files');
  for (const folder of [dir, filesDir]) fs.mkdirSync(folder, { recursive: true });
  const config = path.join(root, 'cli.tfrc');
  const mirror = path.join(cacheDir, 'providers');
  fs.writeFileSync(
    config,
    `provider_installation {\n  filesystem_mirror {\n    path = ${JSON.stringify(mirror)}\n  }\n}\n`,
  );
  const env = { HOME: root, PATH: '/usr/bin:/bin', TF_CLI_CONFIG_FILE: config, TF_IN_AUTOMATION: '1' };
  const run = (...argv: string[]) =>
    new Promise<{ code: number; stdout: string }>((resolve) => {
      execFile(file, argv, { cwd: dir, env, maxBuffer: 64 << 20 }, (error, stdout, stderr) =>
        resolve({ code: error ? 1 : 0, stdout: stdout + (error ? stderr : '') }),
      );
    });
  let previous: readonly string[] = [];
  const write = (random: () => number) => {
    const { text, names } = writeRandomModule({ random, previous, dir: filesDir, hasLocal });
    fs.writeFileSync(path.join(dir, 'main.tf'), text);
    previous = names;
  };
  return { run, write };
}

const modes = ['', '', '', '', '-refresh-only', '-destroy'];

const seen = { tofu: new Map<string, number>(), terraform: new Map<string, number>() };
/** Counts the plans with a change of a kind, and with drift. */
function note(name: Tool, { changes, drift }: tofu.PlanChanges): void {
  const read = [...changes.keys()].map((key) => JSON.parse(key) as [string, string, string, boolean]);
  const kinds = new Set(read.flatMap(([, action, , isImport]) => (isImport ? [action, 'imported'] : [action])));
  if (drift.size > 0) kinds.add('drift');
  for (const kind of kinds) seen[name].set(kind, (seen[name].get(kind) ?? 0) + 1);
}

/** Plans and sometimes applies changing modules; returns how many plans agreed, and each that did not. */
async function play(name: Tool, file: string, seed: number) {
  const random = createRandom(seed);
  const { run, write } = createModule(file, name === 'tofu');
  const differences: string[] = [];
  let agreed = 0;
  for (let round = 0; round < plansEach; round += 1) {
    write(random);
    await run('init', '-input=false');
    const mode = modes[Math.floor(random() * modes.length)] as string;
    const { code, stdout } = await run('plan', '-json', '-input=false', '-out=p', ...(mode === '' ? [] : [mode]));
    if (code !== 0) continue;
    const streamed = tofu.createStreamedPlan();
    const parser = tofu.createStreamParser({ onEvent: streamed.take });
    parser.write(Buffer.from(stdout));
    parser.end();
    const { changes } = tofu.projectPlan((await run('show', '-json', 'p')).stdout, { secrets: [] });
    note(name, changes);
    const difference = streamed.findDisagreement(changes, name);
    if (difference === undefined) agreed += 1;
    else differences.push(`seed ${seed}, plan ${round} ${mode}: ${difference}\n${stdout}`);
    if (random() < 0.8) await run('apply', '-input=false', 'p');
  }
  return { agreed, differences };
}

describe.each(['tofu', 'terraform'] as const)('plans of %s', (name) => {
  const seeds = Array.from({ length: sequences }, (_, index) => index + 1);
  it.each(seeds)('of random modules agree with their stream: seed %i', { timeout: 300_000 }, async (seed) => {
    const file = findTool(name);
    if (file === undefined) return;
    const { agreed, differences } = await play(name, file, seed);
    expect(differences).toEqual([]);
    expect(agreed).toBeGreaterThan(2);
  });

  it('were of every kind', () => {
    expect([...seen[name].keys()]).toEqual(expect.arrayContaining(['create', 'update', 'replace', 'delete', 'remove']));
  });
});
