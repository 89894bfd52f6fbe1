import type { HeldJob, HeldJobs } from './held-jobs.ts';

/** Time for which the answer to a machine is held back; well below the time after which the machine asks again. */
const usualMaxMs = 5_000;

/**
 * Creates a wait for the input of a job. It ends when the input is there, when the job may be lost, or after `maxMs`. A
 * second wait for the same job ends at once, so that a machine cannot pile up questions.
 */
export function createInputWait(jobs: Pick<HeldJobs, 'watch'>, maxMs = usualMaxMs) {
  const waiting = new Set<string>();
  return async ({ row: { id } }: HeldJob): Promise<void> => {
    if (waiting.has(id)) return;
    waiting.add(id);
    const { promise, resolve } = Promise.withResolvers<void>();
    const unwatch = jobs.watch(id, resolve);
    const timer = setTimeout(resolve, maxMs).unref();
    await promise;
    clearTimeout(timer);
    unwatch();
    waiting.delete(id);
  };
}
