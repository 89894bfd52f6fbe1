import type { Db } from '#server/kernel/db';
import type { RunStatus } from '#shared/runs/contract';
import type { RunRecord } from './run-record.ts';

export type RunListeners = ReturnType<typeof createRunListeners>;
type MoveListener = (run: RunRecord, from: RunStatus | undefined) => void;

/** Callbacks of the domains above and of open streams for moves of Runs and growth of their feeds. */
export function createRunListeners(db: Pick<Db, 'afterCommit'>) {
  const creating: ((run: RunRecord) => void)[] = [];
  const leaving: ((run: RunRecord) => void)[] = [];
  const moving: MoveListener[] = [];
  const committed: MoveListener[] = [];
  const stopping: ((run: RunRecord) => void)[] = [];
  const readers = new Map<string, Set<() => void>>();

  return {
    /** Registers a callback for the transaction of each new Run, after it was created. */
    onCreating: (work: (run: RunRecord) => void): void => void creating.push(work),

    /**
     * Registers a callback for the transaction in which a Run leaves `running`: it has ended, waits for a person, or is
     * queued again.
     */
    onLeave: (work: (run: RunRecord) => void): void => void leaving.push(work),

    /** Registers a callback for the transaction of each move, after the Run was changed. */
    onMoving: (work: MoveListener): void => void moving.push(work),

    /** Registers a callback for after the commit of each move, and of each new Run (without a previous status). */
    onMoved: (work: MoveListener): void => void committed.push(work),

    /** Registers a callback for each running Run that has to end, after the commit of the request. */
    onStop: (work: (run: RunRecord) => void): void => void stopping.push(work),

    /** Registers a callback for growth of a Run's feed. Returns the function that unsubscribes. */
    onFeed(id: string, wake: () => void): () => void {
      const set = readers.get(id) ?? new Set();
      readers.set(id, set.add(wake));
      return () => {
        set.delete(wake);
        if (set.size === 0) readers.delete(id);
      };
    },

    /** Calls the callbacks of `onCreating` in the current transaction. */
    creating(run: RunRecord): void {
      for (const work of creating) work(run);
    },
    /** Calls the callbacks of `onLeave` in the current transaction. */
    leave(run: RunRecord): void {
      for (const work of leaving) work(run);
    },
    /** Calls the callbacks of `onMoving` in the current transaction. */
    moving(run: RunRecord, from: RunStatus): void {
      for (const work of moving) work(run, from);
    },
    moved(run: RunRecord, from: RunStatus | undefined): void {
      for (const work of committed) db.afterCommit(() => work(run, from));
    },
    /** Asks the handler of a running Run to end it, when the current transaction has committed. */
    requestStop(run: RunRecord): void {
      for (const work of stopping) db.afterCommit(() => work(run));
    },
    wakeReaders(id: string): void {
      for (const wake of readers.get(id) ?? []) wake();
    },
  };
}
