import { Worker } from 'node:worker_threads';
import { type EntryName, entryFile } from './entry.ts';
import { createIdleTimer } from './idle-timer.ts';

/** Answer instead of that of the worker: a sentence for a person. */
export type WorkerFailure = { failure: string };

export type WorkerQueue<Request, Answer> = {
  /** Never rejects. */
  send: (request: Request) => Promise<Answer | WorkerFailure>;
  /** Starts the worker ahead of a request that is about to come. */
  warmUp: () => void;
  /** Ends the worker; running and waiting requests return a failure. */
  close: () => Promise<void>;
};

/** `what` names the work in failures, with an article: `The scan`. */
type QueueOptions = { entry: EntryName; what: string; heapMegabytes: number; timeoutMs: number };

/**
 * Sends requests to one worker thread in sequence. The first request starts it, and it stays warm for a while.
 * Work that takes too long, or crashes the worker, ends the worker: the next request gets a new one.
 */
export function createWorkerQueue<Request, Answer extends object>(options: QueueOptions): WorkerQueue<Request, Answer> {
  let worker: Worker | undefined;
  let queue: Promise<unknown> = Promise.resolve();
  let closed = false;

  const drop = async (): Promise<void> => {
    const dropped = worker;
    worker = undefined;
    await dropped?.terminate();
  };
  const idle = createIdleTimer(() => void drop());
  const start = (): Worker =>
    startWorker(options, (ended) => {
      if (worker === ended) worker = undefined;
    });
  const run = async (request: Request): Promise<Answer | WorkerFailure> => {
    if (closed) return { failure: stoppedText(options) };
    idle.begin();
    worker ??= start();
    const outcome = await sendRequest<Request, Answer>(worker, request, options);
    if ('broken' in outcome) await drop();
    else if (!closed) idle.end();
    return 'broken' in outcome ? { failure: outcome.broken } : outcome.answer;
  };
  return {
    send(request) {
      const answer = queue.then(() => run(request));
      queue = answer;
      return answer;
    },
    warmUp() {
      if (closed || worker) return;
      worker = start();
      idle.end();
    },
    close: async () => {
      closed = true;
      idle.begin();
      await drop();
    },
  };
}

const stoppedText = ({ what }: QueueOptions): string => `${what} was stopped. Try again.`;

function startWorker({ entry, heapMegabytes }: QueueOptions, onEnd: (worker: Worker) => void): Worker {
  const worker = new Worker(entryFile(entry), { resourceLimits: { maxOldGenerationSizeMb: heapMegabytes } });
  // A worker may also fail while no request waits; its exit is handled in the same way.
  worker.on('error', () => undefined).on('exit', () => onEnd(worker));
  // An idle worker does not keep the process alive.
  worker.unref();
  return worker;
}

type Outcome<Answer> = { answer: Answer } | { broken: string };

/** Sends one request and waits for its answer, the end of the worker, or the time limit. */
function sendRequest<Request, Answer>(
  worker: Worker,
  request: Request,
  options: QueueOptions,
): Promise<Outcome<Answer>> {
  const { what, timeoutMs } = options;
  return new Promise((resolve) => {
    const settle = (outcome: Outcome<Answer>): void => {
      clearTimeout(timer);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      worker.unref();
      resolve(outcome);
    };
    const broken = (failure: string): void => settle({ broken: failure });
    const onMessage = (answer: Answer): void => settle({ answer });
    const onError = (): void => broken(`${what} ran out of memory or met something it cannot read.`);
    const onExit = (): void => broken(stoppedText(options));
    const timer = setTimeout(() => broken(`${what} took longer than ${timeoutMs / 1_000} seconds.`), timeoutMs);
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.ref();
    worker.postMessage(request);
  });
}
