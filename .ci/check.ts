// Runs the checks that need only Node and Git, as many at once as there are processors: `npm run check`. Prints the
// output of each one when it ends, and fails when one of them failed.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';

const root = path.resolve(import.meta.dirname, '..');

/** Command lines by the name of their check, the longest first. */
const checks = [
  // Several checkers of a project repeat each other's work, which costs three times the processor time here.
  { name: 'types', command: 'tsc -b --checkers 1 --builders 1' },
  { name: 'unit tests', command: "vitest run --project 'unit*' --reporter=dot" },
  { name: 'words', command: 'node .ci/checks/words/main.ts' },
  { name: 'format and lint', command: 'biome check' },
  {
    name: 'dependency rules',
    command: 'depcruise --config .dependency-cruiser.cjs shared/src server/src renderer/src electron',
  },
  { name: 'commits', command: 'node .ci/checks/commits.ts' },
];

type Result = { name: string; code: number; seconds: string; output: string };

/** Runs one check to its end, with the programs of `node_modules` on PATH, which npm has set. */
const run = ({ name, command }: (typeof checks)[number]): Promise<Result> =>
  new Promise((resolve, reject) => {
    const begin = performance.now();
    const child = spawn(command, { cwd: root, shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      const seconds = ((performance.now() - begin) / 1_000).toFixed(1);
      resolve({ name, code: code ?? 1, seconds, output: Buffer.concat(chunks).toString().trim() });
    });
  });

const failed: string[] = [];
const waiting = [...checks];
async function runWaiting(): Promise<void> {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
    const { name, code, seconds, output } = await run(check);
    if (code !== 0) failed.push(name);
    console.log(
      `\n== ${name}: ${code === 0 ? 'passed' : 'FAILED'} in ${seconds} s${output === '' ? '' : `\n${output}`}`,
    );
  }
}
await Promise.all(Array.from({ length: availableParallelism() }, runWaiting));
console.log(failed.length === 0 ? '\ncheck: everything passed' : `\ncheck: failed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
