import path from 'node:path';
import { type Folders, runDirOf } from '#server/domains/execution/index';
import type { CapsuleRun } from '#server/domains/runs/index';
import { builtArchive, type Job } from '#server/runner/index';
import type { PlanSeal, PlansStore } from './store.ts';

type SealFile = Pick<PlanSeal, 'runId' | 'builtDigest'>;

/** Returns the files that an apply takes from the folder of its plan. */
export const planFilesOf = (folders: Folders, { runId, builtDigest }: SealFile): string[] => [
  path.join(runDirOf(folders, runId), 'plan'),
  ...(builtDigest === null ? [] : [builtArchive(runDirOf(folders, runId), builtDigest)]),
];

/** Finds what a new Run takes over from earlier plans of its Capsule. */
export function createSealedPlans({ store }: { store: PlansStore }) {
  return {
    /**
     * Returns the lock file of the newest plan, or null when the module requires other providers since. An apply gets
     * the lock file of its plan.
     */
    findLock(run: CapsuleRun, requirementsDigest: string): string | null {
      const seal = run.planRunId === null ? store.findNewestSeal(run.capsuleId) : store.findSeal(run.planRunId);
      return seal?.requirementsDigest === requirementsDigest ? seal.lock : null;
    },

    /** Returns the reviewed plan of an apply; null for every other Run. */
    findReviewed(run: CapsuleRun): Job['plan'] {
      const seal = run.planRunId === null ? undefined : store.findSeal(run.planRunId);
      if (!seal) return null;
      const { planFileDigest: digest, addresses, builtDigest } = seal;
      const changes = (store.findDocument(seal.runId)?.resources ?? []).map(
        ({ address, mode, actions, deposed, previousAddress }) => ({
          ...{ address, mode, actions },
          ...(deposed !== undefined && { deposed }),
          ...(previousAddress !== undefined && { previousAddress }),
        }),
      );
      return { runId: seal.runId, digest, addresses, changes, ...(builtDigest !== null && { builtDigest }) };
    },
  };
}
