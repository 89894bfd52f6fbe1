import { entryFile } from '#server/kernel/entry';
import { failpointEnvironment } from '#server/kernel/failpoints';
import { limits } from '#shared/limits';
import { GitError } from './git-error.ts';
import { type AnyAnswer, type Link, type Pending, reasonOf, receive, stopping } from './git-link.ts';
import type { GitAccess } from './git-types.ts';
import type { FromWorker, ToChild } from './worker-messages.ts';

/** Starts a Node program to exchange messages with. `onEnd` is called when it has ended or could not be started. */
type StartChild = (options: {
  nodePath: string;
  entry: string;
  env: Readonly<Record<string, string>>;
  onMessage: (message: unknown) => void;
  onEnd: () => void;
}) => Child;

type Child = {
  send: (message: ToChild) => void;
  kill: () => void;
  /** Sets whether this keeps the parent process alive. */
  hold: (isHeld: boolean) => void;
};

export type ProcessLinkOptions = {
  access: GitAccess;
  start: StartChild;
  nodePath: string;
  /** Time a stopped task may take to end before its process is killed. */
  stopMs?: number | undefined;
  /** Maximum number of concurrent tasks; the others wait. */
  most?: number | undefined;
};

/**
 * Runs each task in a process that does nothing else and is killed when a stopped task does not end: a path on this
 * machine's disk may block a call forever. One idle process stays warm; it does not keep the server alive and ends with
 * it.
 */
export function createProcessLink({ access, start, nodePath, stopMs = 5_000, most = 4 }: ProcessLinkOptions): Link {
  const busy = new Map<Child, Pending>();
  const acquire = createLimit(most);
  const closing = new AbortController();
  let idle: Child | undefined;

  /** Abandons a child. A process in an uninterruptible call outlives its signal, so nothing waits for its end. */
  const lose = (child: Child, reason: unknown) => {
    if (idle === child) idle = undefined;
    child.kill();
    child.hold(false);
    busy.get(child)?.reject(reason);
    busy.delete(child);
  };
  const accept = (child: Child, message: FromWorker) => {
    const entry = busy.get(child);
    if (!entry || !receive(entry, message)) return;
    busy.delete(child);
    child.hold(false);
    if (idle || closing.signal.aborted) child.kill();
    else idle = child;
  };
  const startChild = (): Child => {
    const child = start({
      nodePath,
      entry: entryFile('git-child'),
      env: childEnvironment(),
      onMessage: (message) => accept(child, message as FromWorker),
      onEnd: () => lose(child, endedEarly()),
    });
    return child;
  };
  const take = (): Child => {
    const child = idle ?? startChild();
    idle = undefined;
    child.hold(true);
    return child;
  };
  const perform: Link['run'] = async (task, { signal, ...listeners }) => {
    const child = take();
    let timer: NodeJS.Timeout | undefined;
    const onAbort = () => {
      child.send({ id: 0, stop: true });
      timer = setTimeout(() => lose(child, reasonOf(signal)), stopMs);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      return await new Promise<AnyAnswer>((resolve, reject) => {
        busy.set(child, { ...listeners, signal, resolve, reject });
        child.send({ id: 0, task, access });
      });
    } finally {
      signal?.removeEventListener('abort', onAbort);
      clearTimeout(timer);
    }
  };
  const run: Link['run'] = async (task, options) => {
    const bound = withDeadline([closing.signal, ...(options.signal ? [options.signal] : [])]);
    try {
      const release = await acquire(bound.signal);
      try {
        if (bound.signal.aborted) throw reasonOf(bound.signal);
        return await perform(task, { ...options, signal: bound.signal });
      } finally {
        release();
      }
    } finally {
      bound.release();
    }
  };
  const close = async () => {
    closing.abort(stopping());
    for (const child of idle ? [idle, ...busy.keys()] : busy.keys()) lose(child, stopping());
  };
  return { run, close };
}

const endedEarly = () =>
  new GitError(
    'source_sync_failed',
    'The process that reads local repositories ended before its work was done. Sync again; if it repeats, report it.',
  );

/** Returns the environment of the child. Windows starts no program without `SystemRoot`. */
function childEnvironment(): Record<string, string> {
  const systemRoot = process.env['SystemRoot'];
  return { ...failpointEnvironment(), ...(systemRoot === undefined ? {} : { SystemRoot: systemRoot }) };
}

/** Aborts with the first of its sources, or when the time of a sync is over: a blocked child cannot check a clock. */
function withDeadline(sources: readonly AbortSignal[]) {
  const controller = new AbortController();
  const follow = () => controller.abort(sources.find(({ aborted }) => aborted)?.reason);
  const late = () => controller.abort(new DOMException('The time of a sync is over.', 'TimeoutError'));
  const timer = setTimeout(late, limits.sourceSyncSeconds * 1_000);
  for (const source of sources) source.addEventListener('abort', follow);
  if (sources.some(({ aborted }) => aborted)) follow();
  const release = () => {
    clearTimeout(timer);
    for (const source of sources) source.removeEventListener('abort', follow);
  };
  return { signal: controller.signal, release };
}

/** Limits concurrency, in order of arrival; each caller calls the returned function when it is done. */
function createLimit(most: number) {
  const waiting = new Set<() => void>();
  let active = 0;
  const release = () => {
    const [next] = waiting;
    if (next) next();
    else active -= 1;
  };
  return (signal: AbortSignal): Promise<() => void> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(reasonOf(signal));
      if (active < most) {
        active += 1;
        return resolve(release);
      }
      const start = () => {
        signal.removeEventListener('abort', onAbort);
        waiting.delete(start);
        resolve(release);
      };
      const onAbort = () => {
        waiting.delete(start);
        reject(reasonOf(signal));
      };
      waiting.add(start);
      signal.addEventListener('abort', onAbort, { once: true });
    });
}
