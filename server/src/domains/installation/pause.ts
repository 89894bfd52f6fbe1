import type { Db } from '#server/kernel/db';
import { findFact, writeFact } from '#server/kernel/installation';
import type { EndedByRestore, RestoredFrom } from '#shared/installation/contract';

/** The pause of one restore. It belongs to the restore of the same time: a later restore has a pause of its own. */
export type PauseFact = {
  restoredAt: string;
  pausedAt: string;
  ended: EndedByRestore;
  resumedAt?: string;
  resumedBy?: string;
};

export type Pause = ReturnType<typeof createPause>;

/**
 * Keeps whether the installation is paused. A restored installation is paused from the start on; its first start
 * ends what must not live again, and a person ends the pause.
 */
export function createPause(db: Pick<Db, 'orm' | 'afterCommit'>) {
  const restored = findFact<RestoredFrom>(db, 'restored');
  const listeners: (() => void)[] = [];
  let pause = restored && findOwn(restored);

  function findOwn({ restoredAt }: RestoredFrom): PauseFact | undefined {
    const found = findFact<PauseFact>(db, 'pause');
    return found?.restoredAt === restoredAt ? found : undefined;
  }

  function write(next: PauseFact): void {
    writeFact(db, 'pause', next);
    db.afterCommit(() => {
      pause = next;
    });
  }

  return {
    /** The restore that this installation comes from. */
    restored,
    find: (): PauseFact | undefined => pause,
    isPaused: (): boolean => restored !== undefined && pause?.resumedAt === undefined,
    /** Reports whether the first start after a restore has still to end what must not live again. */
    isUnprepared: (): boolean => restored !== undefined && pause === undefined,
    /** Registers work that starts after the commit that ends the pause. */
    onResumed: (work: () => void): void => void listeners.push(work),

    /** Records the first start, in the caller's transaction. */
    begin: (fact: Omit<PauseFact, 'resumedAt' | 'resumedBy'>): void => write(fact),
    /** Ends the pause, in the caller's transaction. */
    end(current: PauseFact, by: { resumedAt: string; resumedBy: string }): void {
      write({ ...current, ...by });
      for (const work of listeners) db.afterCommit(work);
    },
  };
}
