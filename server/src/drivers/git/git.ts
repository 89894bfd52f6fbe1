import { Worker } from 'node:worker_threads';
import { entryFile } from '#server/kernel/entry';
import { GitError } from './git-error.ts';
import type {
  GitAccess,
  GitRemoteRequest,
  GitSyncFolders,
  GitSyncRequest,
  GitSyncResult,
  GitTag,
  KnownCommit,
  ResolvedRef,
} from './git-types.ts';
import type { FromWorker, GitTask, TaskAnswer, ToWorker, WorkerSetup } from './worker-messages.ts';

/** `signal` ends the work: with `source_timed_out` when its reason is a time-out, else with its own reason. */
export type GitSyncOptions = GitSyncFolders & Partial<Pick<Pending, 'onLine' | 'onUnpack'>> & { signal?: AbortSignal };

/** Git without a checkout and without the `git` program. Every method rejects with `GitError`. */
export type Git = {
  /** Fetches the commit a ref names and archives its regular files below `path`. */
  sync: (request: GitSyncRequest, options: GitSyncOptions) => Promise<GitSyncResult>;
  /** The same, unless the ref still names the commit of an earlier sync and its archive is whole: then undefined. */
  syncNews: (
    request: GitSyncRequest & { known: KnownCommit | undefined },
    options: GitSyncOptions,
  ) => Promise<GitSyncResult | undefined>;
  /** Asks what a ref stands for. A full commit id is answered as it is: only a sync proves that the server has it. */
  resolveRef: (request: GitRemoteRequest & { ref: string }, signal?: AbortSignal) => Promise<ResolvedRef>;
  listTags: (request: GitRemoteRequest, signal?: AbortSignal) => Promise<GitTag[]>;
  /** Ends the worker; work under way rejects. */
  close: () => Promise<void>;
};

type Pending = {
  resolve: (answer: TaskAnswer[keyof TaskAnswer]) => void;
  reject: (reason: unknown) => void;
  signal: AbortSignal | undefined;
  onLine: ((text: string) => void) | undefined;
  /** Called when the fetch has ended and the files are archived; not when there is nothing new. */
  onUnpack: (() => void) | undefined;
  /** What the hearer of a line threw: thrown in a message handler it would end the process, so it waits for the end of the task. */
  fault?: { error: unknown };
};

type TaskOptions = Partial<Pick<Pending, 'signal' | 'onLine' | 'onUnpack'>>;

/** All work runs in one thread that starts with the first task and stays warm; idle, it keeps no process alive. */
export function createGit(access: GitAccess): Git {
  const link = createLink(access);
  const run = <Kind extends GitTask['kind']>(task: GitTask & { kind: Kind }, wishes: TaskOptions) =>
    link.run(task, wishes) as Promise<TaskAnswer[Kind]>;
  const syncNews: Git['syncNews'] = async (request, { repositoryDir, archivesDir, ...options }) =>
    (await run({ kind: 'sync', request, folders: { repositoryDir, archivesDir } }, options)) ?? undefined;
  return {
    sync: (request, options) => syncNews({ ...request, known: undefined }, options) as Promise<GitSyncResult>,
    syncNews,
    resolveRef: (request, signal) => run({ kind: 'resolve', request }, { signal }),
    listTags: (request, signal) => run({ kind: 'tags', request }, { signal }),
    close: link.close,
  };
}

function createLink(access: GitAccess) {
  const pending = new Map<number, Pending>();
  let worker: Worker | undefined;
  let isClosed = false;
  let lastId = 0;

  const lose = (lost: Worker, message: string) => {
    if (worker !== lost) return;
    worker = undefined;
    for (const entry of pending.values()) entry.reject(new GitError('source_sync_failed', message));
    pending.clear();
  };
  const receive = (message: FromWorker) => {
    const entry = pending.get(message.id);
    if (!entry) return;
    if ('line' in message) return tell(entry, message.line);
    if ('unpacking' in message) return entry.onUnpack?.();
    pending.delete(message.id);
    if (pending.size === 0) worker?.unref();
    if (entry.fault) entry.reject(entry.fault.error);
    else if ('answer' in message) entry.resolve(message.answer);
    else if ('stopped' in message) entry.reject(reasonOf(entry.signal));
    else entry.reject(new GitError(message.failure.code, message.failure.message));
  };
  const start = (): Worker => {
    if (worker) return worker;
    const workerData: WorkerSetup = { access };
    const started = new Worker(entryFile('git-worker'), { name: 'git', workerData });
    started.on('message', receive);
    started.on('error', () => lose(started, 'The Git worker failed. Sync again; if it repeats, report it.'));
    started.on('exit', () => lose(started, 'The Git worker ended before its work was done. Sync again.'));
    worker = started;
    return started;
  };
  const run = (task: GitTask, { signal, onLine, onUnpack }: TaskOptions) =>
    new Promise<TaskAnswer[keyof TaskAnswer]>((resolve, reject) => {
      if (isClosed) throw new GitError('source_sync_failed', 'The server is stopping. Sync again when it is back.');
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
      target.ref();
      send({ id, task, stop });
    });
  const close = async () => {
    isClosed = true;
    const last = worker;
    if (last) lose(last, 'The server is stopping. Sync again when it is back.');
    await last?.terminate();
  };
  return { run, close };
}

function tell(entry: Pending, line: string): void {
  try {
    entry.onLine?.(line);
  } catch (error) {
    entry.fault ??= { error };
  }
}

/** Why a task was stopped, as its caller is told. */
function reasonOf(signal: AbortSignal | undefined): unknown {
  const reason: unknown = signal?.reason;
  if ((reason as Error | undefined)?.name !== 'TimeoutError') return reason;
  return new GitError(
    'source_timed_out',
    'The source took longer than it may. Try again, or choose a smaller repository.',
  );
}
