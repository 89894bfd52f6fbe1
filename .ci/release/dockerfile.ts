// Reads the Dockerfile of the image, so that a root made without Docker repeats nothing of it.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '../../server/src/kernel/entry.ts';

/** Result of a target's instructions, as far as the product has them. */
export type ImageTarget = {
  /** Image that the first stage builds upon. */
  from: string;
  run: string[];
  /** Files copied from the stage that builds: `from` there, `to` here. */
  copies: { from: string; to: string }[];
  env: Record<string, string>;
  user: string;
  workDir: string;
  volumes: string[];
  /** The entry point with the command. */
  argv: string[];
};

type Instruction = { name: string; text: string };

/** Returns the instructions of each stage by its name. Comments and continued lines are resolved. */
function readStages(text: string): Map<string, Instruction[]> {
  const stages = new Map<string, Instruction[]>();
  let stage: Instruction[] = [];
  for (const line of text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n/g, '')
    .split('\n')) {
    const [, name = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    if (name === '') continue;
    if (name === 'FROM') {
      const [from = '', as = ''] = rest.split(/\s+AS\s+/);
      stage = [...(stages.get(from) ?? [{ name, text: from }])];
      stages.set(as, stage);
    } else stage.push({ name, text: rest.trim() });
  }
  return stages;
}

const listOf = (text: string | undefined): string[] => (text === undefined ? [] : (JSON.parse(text) as string[]));

/** Reads what a target of a Dockerfile makes. Throws when it has no such target. */
export function readImageTarget(target: string, text = readDockerfile()): ImageTarget {
  const stage = readStages(text).get(target);
  if (stage === undefined) throw new Error(`The Dockerfile has no target ${target}.`);
  const all = (name: string) => stage.filter((one) => one.name === name).map((one) => one.text);
  const last = (name: string) => all(name).at(-1);
  const copies = all('COPY').map((text) => /^--from=build (?<from>\S+) (?<to>\S+)$/.exec(text)?.groups);
  if (copies.includes(undefined)) throw new Error('An image copies files of its stage `build` only.');
  return {
    from: last('FROM') ?? '',
    run: all('RUN'),
    copies: copies as ImageTarget['copies'],
    env: Object.fromEntries(
      all('ENV').flatMap((text) => text.split(' ').map((pair) => pair.split('=') as [string, string])),
    ),
    user: last('USER') ?? '0',
    workDir: last('WORKDIR') ?? '/',
    volumes: listOf(last('VOLUME')),
    argv: [...listOf(last('ENTRYPOINT')), ...listOf(last('CMD'))],
  };
}

const readDockerfile = (): string => readFileSync(path.join(repositoryRoot, 'resources/docker/Dockerfile'), 'utf8');
