import { Worker } from 'node:worker_threads';
import { entryFile } from '#server/kernel/entry';
import { parseExactly } from '#shared/kernel/exact-number';
import { limits } from '#shared/limits';
import { invalidResult } from './invalid-result.ts';
import type { WorkerAnswer, WorkerFailure, WorkerRequest } from './scan-worker.ts';
import type { FileRequest, FileResult, ScanRequest, ScanResult } from './types.ts';

export type Scan = {
  /** Never rejects: an error is a discovery with the reason `scan_failed`, and a sentence in `failure`. */
  scan: (request: ScanRequest) => Promise<ScanResult>;
  /** Reads one file of an archive, off the thread of the server. Never rejects. */
  readFile: (request: FileRequest) => Promise<FileResult>;
  /** Ends the worker; running and waiting requests return a failure. */
  close: () => Promise<void>;
};

const heapMegabytes = 1_024;

/**
 * Runs the module scan in one worker thread, started by the first request and kept warm; requests run in sequence. A
 * scan that takes too long, or crashes the worker, ends the worker: the next request gets a new one.
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
  const run = async (request: WorkerRequest): Promise<WorkerAnswer> => {
    if (closed) return { failure: stopped };
    worker ??= startWorker((ended) => {
      if (worker === ended) worker = undefined;
    });
    const { isBroken, ...answer } = await sendRequest(worker, request, timeoutMs);
    if (isBroken) await drop();
    return answer as WorkerAnswer;
  };
  const inTurn = (request: WorkerRequest): Promise<WorkerAnswer> => {
    const answer = queue.then(() => run(request));
    queue = answer;
    return answer;
  };
  return {
    async scan(request) {
      const answer = await inTurn({ scan: request });
      if ('scanned' in answer) return parseExactly(answer.scanned) as ScanResult;
      return { ...invalidResult({ request, reason: 'scan_failed' }), ...failureOf(answer) };
    },
    async readFile(request) {
      const answer = await inTurn({ file: request });
      return 'file' in answer ? answer.file : { kind: 'failed', ...failureOf(answer) };
    },
    close: async () => {
      closed = true;
      await drop();
    },
  };
}

const stopped = 'The scan was stopped. Try again.';

/** Returns the failure of an answer. An answer to another request cannot occur, but would also be a failure. */
const failureOf = (answer: WorkerAnswer): WorkerFailure => ('failure' in answer ? answer : { failure: stopped });

function startWorker(onEnd: (worker: Worker) => void): Worker {
  const worker = new Worker(entryFile('scan-worker'), { resourceLimits: { maxOldGenerationSizeMb: heapMegabytes } });
  // A worker may also fail while no request waits; its exit is handled in the same way.
  worker.on('error', () => undefined).on('exit', () => onEnd(worker));
  // An idle worker does not keep the process alive.
  worker.unref();
  return worker;
}

/** Sends one request and waits for its answer, the end of the worker, or the time limit. */
function sendRequest(
  worker: Worker,
  request: WorkerRequest,
  timeoutMs: number,
): Promise<WorkerAnswer & { isBroken?: boolean }> {
  return new Promise((resolve) => {
    const settle = (answer: WorkerAnswer & { isBroken?: boolean }): void => {
      clearTimeout(timer);
      worker.off('message', settle).off('error', onError).off('exit', onExit);
      worker.unref();
      resolve(answer);
    };
    const broken = (failure: string): void => settle({ failure, isBroken: true });
    const onError = (): void => broken('The scan ran out of memory or met something it cannot read.');
    const onExit = (): void => broken(stopped);
    const timer = setTimeout(() => broken(`The scan took longer than ${timeoutMs / 1_000} seconds.`), timeoutMs);
    worker.on('message', settle).on('error', onError).on('exit', onExit);
    worker.ref();
    worker.postMessage(request);
  });
}
