import { setTimeout as pause } from 'node:timers/promises';
import type { Api, Run } from './api.ts';
import { cpuTimeMs } from './cpu-time.ts';
import type { Product } from './product.ts';

/** Part of a product that the Runs of a Capsule need. */
export type RunProduct = Pick<Product, 'api' | 'workspaceId' | 'server'> & { origin: { url: string } };

/** Pause in which a person would read: long enough for the next supervisor to be prewarmed. */
export const readingMs = 1_000;

/** Times of one Run at the client, in epoch milliseconds. */
export type RunTimes = { runId: string; requestedAt: number; firstLogAt: number; endedAt: number };

export type ProductSample = {
  first: RunTimes;
  apply: RunTimes;
  next: RunTimes;
  /** Processor time of the apply and the next plan, and of the start of the next supervisors. */
  cpuMs: number;
};

export const durationMs = ({ requestedAt, endedAt }: RunTimes): number => endedAt - requestedAt;

const now = (): number => performance.timeOrigin + performance.now();

/**
 * Installs a Capsule and times its first plan from the step that creates the plan Run, its apply and one more plan, with
 * a pause between them.
 */
export async function measureRuns(product: RunProduct, name: string, pauseMs: number): Promise<ProductSample> {
  const { api, server } = product;
  const { planRunId, capsuleId, first } = await install(product, name);
  await pause(pauseMs);
  const cpuBefore = cpuTimeMs(server.pid);
  const apply = await timeRun(api, () => api.apply(planRunId));
  await pause(pauseMs);
  const next = await timeRun(api, async () => (await api.post<{ run: Run }>(`/capsules/${capsuleId}/plan`)).run);
  // The supervisors end, and the next ones are prewarmed, before their time is read.
  await pause(readingMs);
  return { first, apply, next, cpuMs: cpuTimeMs(server.pid) - cpuBefore };
}

/** Installs a Capsule of the module up to its first plan, which is timed. */
export async function install({ api, workspaceId, origin }: Omit<RunProduct, 'server'>, name: string) {
  const source = { name, url: origin.url, ref: 'main', path: '.' };
  const created = await api.createInstallPlan(workspaceId, { source, capsule: { name, environment: 'default' } });
  let watched: Promise<RunTimes> | undefined;
  const plan = await api.reconcile(created, ({ installPlan: { planRunId } }, requestedAt) => {
    if (planRunId !== undefined) watched ??= follow(api, planRunId, performance.timeOrigin + requestedAt);
  });
  const { planRunId, capsuleId } = plan;
  if (watched === undefined || planRunId === undefined || capsuleId === undefined) {
    throw new Error('The install plan made no plan Run.');
  }
  return { planRunId, capsuleId, first: await watched };
}

async function timeRun(api: Api, request: () => Promise<Run>): Promise<RunTimes> {
  const requestedAt = now();
  return follow(api, (await request()).id, requestedAt);
}

async function follow(api: Api, runId: string, requestedAt: number): Promise<RunTimes> {
  let firstLogAt: number | undefined;
  const status = await api.waitForRun(runId, ({ event }) => {
    if (event === 'log') firstLogAt ??= now();
  });
  const endedAt = now();
  if (status !== 'succeeded') throw new Error(`The Run ended ${status}: its time says nothing.`);
  return { runId, requestedAt, firstLogAt: firstLogAt ?? endedAt, endedAt };
}
