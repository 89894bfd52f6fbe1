import { Worker } from 'node:worker_threads';
import { entryFile } from '#server/kernel/entry';
import { limits } from '#shared/limits';
import { invalidResult } from './invalid-result.ts';
import type { WorkerAnswer } from './scan-worker.ts';
import type { ScanRequest, ScanResult } from './types.ts';

export type Scan = {
  /** Never rejects: what goes wrong is a discovery with the reason `scan_failed`, and a sentence in `failure`. */
  scan: (request: ScanRequest) => Promise<ScanResult>;
  /** Ends the worker; scans under way or waiting answer `scan_failed`. */
  close: () => Promise<void>;
};

const heapMegabytes = 1_024;

/**
 * The module scan in one worker thread, started by the first request and kept warm; requests run one after the other.
 * A scan that takes too long, or breaks the worker, costs the worker: the next request gets a new one.
 */
export function createScan({ timeoutMs = limits.scanSeconds * 1_000 }: { timeoutMs?: number } = {}): Scan {
  let worker: Worker | undefined;
  let queue: Promise<unknown> = Promise.resolve();
  let closed = false;

  const drop = async (): Promise<void> => {
    const dropped = worker;
    worker = undefined;
    await dropped?.terminate();
  };
  const run = async (request: ScanRequest): Promise<ScanResult> => {
    if (closed) return failed(request, 'The scan was stopped. Try again.');
    worker ??= startWorker((ended) => {
      if (worker === ended) worker = undefined;
    });
    const answer = await ask(worker, request, timeoutMs);
    if ('result' in answer) return answer.result;
    if (answer.broken) await drop();
    return failed(request, answer.failure);
  };
  return {
    scan: (request) => {
      const result = queue.then(() => run(request));
      queue = result;
      return result;
    },
    close: async () => {
      closed = true;
      await drop();
    },
  };
}

const failed = (request: ScanRequest, failure: string): ScanResult => ({
  ...invalidResult({ request, reason: 'scan_failed' }),
  failure,
});

function startWorker(onEnd: (worker: Worker) => void): Worker {
  const worker = new Worker(entryFile('scan-worker'), { resourceLimits: { maxOldGenerationSizeMb: heapMegabytes } });
  // A worker may also break while nobody waits for it; its end says the same.
  worker.on('error', () => undefined).on('exit', () => onEnd(worker));
  // An idle worker keeps no process alive.
  worker.unref();
  return worker;
}

type Answer = { result: ScanResult } | { failure: string; broken: boolean };

/** Sends one request and waits for its answer, the end of the worker, or the time limit. */
function ask(worker: Worker, request: ScanRequest, timeoutMs: number): Promise<Answer> {
  return new Promise((resolve) => {
    const settle = (answer: Answer): void => {
      clearTimeout(timer);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      worker.unref();
      resolve(answer);
    };
    const broken = (failure: string): void => settle({ failure, broken: true });
    const onMessage = (answer: WorkerAnswer): void =>
      settle('result' in answer ? answer : { failure: answer.failure, broken: false });
    const onError = (): void => broken('The scan ran out of memory or met something it cannot read.');
    const onExit = (): void => broken('The scan was stopped. Try again.');
    const timer = setTimeout(() => broken(`The scan took longer than ${timeoutMs / 1_000} seconds.`), timeoutMs);
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.ref();
    worker.postMessage(request);
  });
}
