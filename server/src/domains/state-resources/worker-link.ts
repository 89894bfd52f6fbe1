import { createWorkerQueue } from '#server/kernel/worker-queue';
import type { WorkerAnswer, WorkerRequest } from './projection-worker.ts';

/** Sends requests to the worker, one after another. Resolves to `stopped` after `close`, and never rejects. */
export type WorkerLink = {
  request(request: WorkerRequest): Promise<WorkerAnswer | 'stopped'>;
  close(): Promise<void>;
};

const heapMegabytes = 2_048;
const timeoutMs = 120_000;

/** Runs projections in one worker thread. A request that was not answered when the server stopped is made again later. */
export function createWorkerLink(): WorkerLink {
  const options = { entry: 'projection-worker', what: 'The projection', heapMegabytes, timeoutMs } as const;
  const queue = createWorkerQueue<WorkerRequest, WorkerAnswer>(options);
  let isClosed = false;
  return {
    async request(request) {
      const answer = await queue.send(request);
      return isClosed && 'failure' in answer ? 'stopped' : answer;
    },
    close() {
      isClosed = true;
      return queue.close();
    },
  };
}
