import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, vi } from 'vitest';

/** Lists the workers that each test of the file starts, and fakes its timers, so that a test can let them be idle. */
export function withIdleWorkers(): readonly Worker[] {
  const started: Worker[] = [];
  const onWorker = (worker: Worker) => void started.push(worker);
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    process.on('worker', onWorker);
  });
  afterEach(() => {
    process.off('worker', onWorker);
    started.length = 0;
    vi.useRealTimers();
  });
  return started;
}
