import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { repositoryRoot } from '#server/kernel/entry';
import { workerIdleMs } from '#server/kernel/idle-timer';
import { idleMs } from '#server/kernel/memory-trim';
import type { Run } from './api.ts';
import { type AbsoluteResult, absolute } from './median.ts';
import { childrenOf, memoryOf, type ProcessMemory } from './process-memory.ts';
import { type Product, withProduct } from './product.ts';
import { install } from './product-runs.ts';

/** Runs per sample: five samples are a thousand. */
const runsPerSample = 200;
const parallel = 4;
const goals = { server: 120, standby: 50, growth: 2 };
/** Simulated Runs of the case that measures growth; a tenth of them warms up. */
const growthRuns = Number(process.env['GROUNDCTL_BENCH_RUNS'] ?? 10_000);
const marginMs = 10_000;

/**
 * Memory of the server, idle after its start and idle after its Runs, and of the supervisor that waits: resident, and
 * private, without the pages of the Node program that they share. Then the growth of the heap over simulated Runs.
 */
export async function memory(samples: number, entry: string): Promise<AbsoluteResult[]> {
  const env = { GROUNDCTL_CONCURRENT_RUNS: String(parallel) };
  const measured = await withProduct({ entry, files: 0, env }, async (product) => {
    const { pid } = product.server;
    await pause(idleMs + marginMs);
    const start = memoryOf(pid);
    const [waiting = Number.NaN] = childrenOf(pid, 'supervisor');
    const standby = memoryOf(waiting);
    await playRuns(product, samples * runsPerSample);
    await pause(workerIdleMs + idleMs + marginMs);
    return { start, standby, idle: memoryOf(pid) };
  });
  const runs = samples * runsPerSample;
  return [
    ...lines('server after its start', measured.start, goals.server),
    ...lines('supervisor that waits', measured.standby, goals.standby),
    ...lines(`server after ${runs} Runs`, measured.idle, goals.server),
    absolute(`growth of the heap over ${growthRuns} Runs`, [await growth()], { unit: 'MiB', goal: goals.growth }),
  ];
}

const lines = (name: string, memory: ProcessMemory, goal: number): AbsoluteResult[] => [
  absolute(name, [memory.rss], { unit: 'MiB', goal }),
  absolute(`${name}, private`, [memory.private], { unit: 'MiB', goal }),
];

/** Plans unchanged Capsules, as many at the same time as the server does. */
async function playRuns(product: Product, count: number): Promise<void> {
  const { api } = product;
  let left = count;
  const work = async (name: string): Promise<void> => {
    const { capsuleId } = await install(product, name);
    for (left -= 1; left > 0; left -= 1) {
      const { run } = await api.post<{ run: Run }>(`/capsules/${capsuleId}/plan`);
      await api.waitForRun(run.id);
    }
  };
  await Promise.all(Array.from({ length: parallel }, (_, index) => work(`memory-${index}`)));
}

/** Returns the MiB by which the used heap is larger after all simulated Runs than after a tenth of them. */
async function growth(): Promise<number> {
  const program = path.join(repositoryRoot, 'bench/run-growth.ts');
  const child = spawn(process.execPath, ['--expose-gc', program, String(growthRuns)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (code !== 0) throw new Error(`The simulated Runs ended with ${code}.`);
  const usedBytes = JSON.parse(output) as number[];
  return ((usedBytes.at(-1) ?? Number.NaN) - (usedBytes[0] ?? Number.NaN)) / 2 ** 20;
}
