import { Worker } from 'node:worker_threads';
import { entryFile } from '#server/kernel/entry';
import { createIdleTimer } from '#server/kernel/idle-timer';
import { GitError } from './git-error.ts';
import { type AnyAnswer, type Link, type Pending, reasonOf, receive, stopping } from './git-link.ts';
import type { GitAccess } from './git-types.ts';
import type { FromWorker, ToWorker, WorkerSetup } from './worker-messages.ts';

/**
 * Runs all tasks in one thread that starts with the first task and stays warm for a while; an idle thread does not keep
 * the process alive.
 */
export function createThreadLink(access: GitAccess): Link {
  const pending = new Map<number, Pending>();
  let worker: Worker | undefined;
  let isClosed = false;
  let lastId = 0;

  const endWorker = async (): Promise<void> => {
    const last = worker;
    if (last) lose(last, stopping());
    await last?.terminate();
  };
  const idle = createIdleTimer(() => void endWorker());

  const lose = (lost: Worker, error: GitError) => {
    if (worker !== lost) return;
    worker = undefined;
    for (const entry of pending.values()) entry.reject(error);
    pending.clear();
  };
  const accept = (message: FromWorker) => {
    const entry = pending.get(message.id);
    if (!entry || !receive(entry, message)) return;
    pending.delete(message.id);
    if (pending.size > 0) return;
    worker?.unref();
    idle.end();
  };
  const start = (): Worker => {
    if (worker) return worker;
    const workerData: WorkerSetup = { access };
    const started = new Worker(entryFile('git-worker'), { name: 'git', workerData });
    const lost = (message: string) => () => lose(started, new GitError('source_sync_failed', message));
    started.on('message', accept);
    started.on('error', lost('The Git worker failed. Sync again; if it repeats, report it.'));
    started.on('exit', lost('The Git worker ended before its work was done. Sync again.'));
    worker = started;
    return started;
  };
  const run: Link['run'] = (task, { signal, onLine, onUnpack }) =>
    new Promise<AnyAnswer>((resolve, reject) => {
      if (isClosed) throw stopping();
      if (signal?.aborted) throw reasonOf(signal);
      lastId += 1;
      const id = lastId;
      const stop = new SharedArrayBuffer(4);
      const target = start();
      const send = (message: ToWorker) => target.postMessage(message);
      const onAbort = () => {
        Atomics.store(new Int32Array(stop), 0, 1);
        send({ id, stop: true });
      };
      const settled =
        <Value>(settle: (value: Value) => void) =>
        (value: Value) => {
          signal?.removeEventListener('abort', onAbort);
          settle(value);
        };
      pending.set(id, { resolve: settled(resolve), reject: settled(reject), signal, onLine, onUnpack });
      signal?.addEventListener('abort', onAbort, { once: true });
      idle.begin();
      target.ref();
      send({ id, task, stop });
    });
  const close = async () => {
    isClosed = true;
    idle.begin();
    await endWorker();
  };
  return { run, close };
}
