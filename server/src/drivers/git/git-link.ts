import { GitError } from './git-error.ts';
import type { FromWorker, GitTask, TaskAnswer } from './worker-messages.ts';

export type AnyAnswer = TaskAnswer[keyof TaskAnswer];

export type TaskOptions = {
  signal?: AbortSignal | undefined;
  onLine?: ((text: string) => void) | undefined;
  /** Called when the fetch has ended and the files are being archived; not when nothing is new. */
  onUnpack?: (() => void) | undefined;
};

/** Executor of Git tasks: a thread or processes. */
export type Link = {
  run: (task: GitTask, options: TaskOptions) => Promise<AnyAnswer>;
  /** Ends the running work, which rejects. */
  close: () => Promise<void>;
};

/** A task without an answer yet. */
export type Pending = TaskOptions & {
  resolve: (answer: AnyAnswer) => void;
  reject: (reason: unknown) => void;
  /**
   * Error thrown by a line listener. Thrown in a message handler it would end the process, so it is held until the task
   * ends.
   */
  fault?: { error: unknown };
};

/** Delivers a message to its task. Returns whether the task has ended with it. */
export function receive(entry: Pending, message: FromWorker): boolean {
  if ('line' in message) {
    emitLine(entry, message.line);
    return false;
  }
  if ('unpacking' in message) {
    entry.onUnpack?.();
    return false;
  }
  if (entry.fault) entry.reject(entry.fault.error);
  else if ('answer' in message) entry.resolve(message.answer);
  else if ('stopped' in message) entry.reject(reasonOf(entry.signal));
  else entry.reject(new GitError(message.failure.code, message.failure.message));
  return true;
}

function emitLine(entry: Pending, line: string): void {
  try {
    entry.onLine?.(line);
  } catch (error) {
    entry.fault ??= { error };
  }
}

/** Reason that the caller receives for a stopped task. */
export function reasonOf(signal: AbortSignal | undefined): unknown {
  const reason: unknown = signal?.reason;
  if ((reason as Error | undefined)?.name !== 'TimeoutError') return reason;
  return new GitError(
    'source_timed_out',
    'The source took longer than it may. Try again, or choose a smaller repository.',
  );
}

export const stopping = (): GitError =>
  new GitError('source_sync_failed', 'The server is stopping. Sync again when it is back.');
