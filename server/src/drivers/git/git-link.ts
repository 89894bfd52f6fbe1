import { GitError } from './git-error.ts';
import type { FromWorker, GitTask, TaskAnswer } from './worker-messages.ts';

export type AnyAnswer = TaskAnswer[keyof TaskAnswer];

export type TaskOptions = {
  signal?: AbortSignal | undefined;
  onLine?: ((text: string) => void) | undefined;
  /** Called when the fetch has ended and the files are archived; not when there is nothing new. */
  onUnpack?: (() => void) | undefined;
};

/** Where tasks are done: a thread or processes. */
export type Link = {
  run: (task: GitTask, options: TaskOptions) => Promise<AnyAnswer>;
  /** Ends the work under way, which rejects. */
  close: () => Promise<void>;
};

/** A task that has no answer yet. */
export type Pending = TaskOptions & {
  resolve: (answer: AnyAnswer) => void;
  reject: (reason: unknown) => void;
  /** What the hearer of a line threw: thrown in a message handler it would end the process, so it waits for the end of the task. */
  fault?: { error: unknown };
};

/** Takes a message to its task. Says whether the task has ended with it. */
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

/** Why a task was stopped, as its caller is told. */
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
