import { Worker } from 'node:worker_threads';
import { entryFile } from '#server/kernel/entry';
import type { WorkerAnswer, WorkerRequest } from './projection-worker.ts';

/** Sends requests to the worker, one after another. Resolves to `stopped` after `close`, and never rejects. */
export type WorkerLink = {
  request(request: WorkerRequest): Promise<WorkerAnswer | 'stopped'>;
  close(): Promise<void>;
};

const heapMegabytes = 2_048;
const timeoutMs = 120_000;

/**
 * Runs projections in one worker thread, started by the first request. A request that takes too long, or crashes the
 * worker, ends the worker: the next request gets a new one.
 */
export function createWorkerLink(): WorkerLink {
  let worker: Worker | undefined;
  let queue: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  function start(): Worker {
    const started = new Worker(entryFile('projection-worker'), {
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
    });
    started
      .on('error', () => undefined)
      .on('exit', () => {
        if (worker === started) worker = undefined;
      });
    // An idle worker does not keep the process alive.
    started.unref();
    return started;
  }

  async function send(request: WorkerRequest): Promise<WorkerAnswer | 'stopped'> {
    if (isClosed) return 'stopped';
    worker ??= start();
    const answer = await exchange(worker, request);
    if (answer !== undefined) return answer;
    const broken = worker;
    worker = undefined;
    await broken?.terminate();
    return isClosed ? 'stopped' : { failure: 'worker' };
  }

  return {
    request(request) {
      const answer = queue.then(() => send(request));
      queue = answer;
      return answer;
    },
    async close() {
      isClosed = true;
      await worker?.terminate();
    },
  };
}

/** Resolves to undefined when the worker ends or does not answer in time. */
function exchange(worker: Worker, request: WorkerRequest): Promise<WorkerAnswer | undefined> {
  return new Promise((resolve) => {
    const settle = (answer: WorkerAnswer | undefined): void => {
      clearTimeout(timer);
      worker.off('message', settle).off('error', onEnd).off('exit', onEnd);
      worker.unref();
      resolve(answer);
    };
    const onEnd = (): void => settle(undefined);
    const timer = setTimeout(onEnd, timeoutMs);
    worker.on('message', settle).on('error', onEnd).on('exit', onEnd);
    worker.ref();
    worker.postMessage(request);
  });
}
