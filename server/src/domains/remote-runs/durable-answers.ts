import type { DurablePoints } from '#server/kernel/durable-points';
import type { WorkGate } from '#server/kernel/work-gate';
import type { Verdict } from './answers.ts';

type Deps = { points: Pick<DurablePoints, 'confirm' | 'behindSince'>; workGate: Pick<WorkGate, 'mayAct'> };

/** Holds answers back until the replica has what they rely on, so that a promoted server knows of everything that a machine was given. */
export function createDurableAnswers({ points, workGate }: Deps) {
  const requireRight = (): void => {
    if (!workGate.mayAct()) throw new Error('This server may not act.');
  };
  /** Throws when the replica does not confirm, or when the server lost its right while it waited. */
  async function confirm(): Promise<void> {
    if (!(await points.confirm())) throw new Error('The replica does not have what this answer relies on.');
    requireRight();
  }

  return {
    requireRight,
    confirm,
    /** Gives what `work` returns. While the replica is behind, nothing is done. */
    async give<T>(work: () => T): Promise<T> {
      if (points.behindSince() !== undefined) await confirm();
      const answer = work();
      if (answer !== undefined) await confirm();
      return answer;
    },
    isConfirmed: points.confirm,
    /** Leaves out the ends that the replica lacks: a machine deletes what it has of a Run that has ended. */
    async withoutLateEnds(verdicts: Verdict[]): Promise<Verdict[]> {
      const open = verdicts.filter(({ state }) => state !== 'ended');
      return open.length === verdicts.length || (await points.confirm()) ? verdicts : open;
    },
  };
}
