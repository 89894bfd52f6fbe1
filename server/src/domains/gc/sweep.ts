import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '#server/kernel/clock';
import { faultFields, type Log } from '#server/kernel/log';
import { openGate, type WorkGate } from '#server/kernel/work-gate';
import { periodsOf } from './retention.ts';
import type { GcStore } from './store.ts';
import { archives } from './sweep-archives.ts';
import { capsuleFolders } from './sweep-capsules.ts';
import { checkPlans, checkRuns } from './sweep-checks.ts';
import { copyRepositories, modulePackages } from './sweep-copies.ts';
import { ledgerCopies, repositories, unfinishedFiles } from './sweep-leftovers.ts';
import type { DeletePlans, DeleteProposals, DeleteRuns, GcFolders, SweepPart } from './sweep-parts.ts';
import { proposals } from './sweep-proposals.ts';
import { providerPackages } from './sweep-providers.ts';
import { runFolders } from './sweep-runs.ts';
import { openTrash } from './trash.ts';

/** Result of a sweep: the number of removed items of each kind, and the bytes freed. */
export type Swept = { removed: Readonly<Record<string, number>>; freedBytes: number };
type SweepOptions = {
  isDiskLow: boolean;
  signal: AbortSignal;
  /** A sweep ends early when it answers false. */
  mayAct?: WorkGate['mayAct'];
};
export type Sweep = (options: SweepOptions) => Promise<Swept>;

/**
 * Everything that is collected. From the ledger that is only unused proposals and old scheduled checks: StateVersions, snapshots
 * and all other rows are never deleted.
 */
const parts: readonly SweepPart[] = [
  runFolders,
  capsuleFolders,
  archives,
  providerPackages,
  repositories,
  copyRepositories,
  modulePackages,
  ledgerCopies,
  unfinishedFiles,
  proposals,
  checkPlans,
  checkRuns,
];

type Deps = {
  store: GcStore;
  folders: GcFolders;
  clock: Clock;
  log: Log;
  keepDays: number;
  configs: { deleteProposals: DeleteProposals };
  plans: { deletePlans: DeletePlans };
  deleteRuns: DeleteRuns;
  /** While it answers true nothing is moved to the trash. */
  isHeld?: () => boolean;
};

/**
 * Removes everything that no rule keeps any more, in small pieces between which requests proceed. A part that fails is logged and the
 * others still run. Never rejects.
 */
export function createSweep({ store, folders, clock, log, keepDays, configs, plans, deleteRuns, isHeld }: Deps): Sweep {
  return async ({ isDiskLow, signal, mayAct = openGate.mayAct }) => {
    const trash = openTrash(folders.dataDir, isHeld);
    const removed: Record<string, number> = {};
    let freedBytes = 0;
    const isOver = () => signal.aborted || !mayAct();
    const attempt = async (name: string, work: () => Promise<void>) => {
      try {
        if (!isOver()) await work();
      } catch (error) {
        if (!isOver()) log.warn({ part: name, ...faultFields(error) }, 'a part of the sweep failed');
      }
    };
    const empty = async () => {
      freedBytes += await trash.empty(isOver);
    };
    for (const { name, sweep } of parts) {
      const count = () => {
        removed[name] = (removed[name] ?? 0) + 1;
      };
      const periods = periodsOf(keepDays, isDiskLow);
      const breathe = async () => {
        await turn();
        if (isOver()) throw new Error('The sweep has ended early.');
      };
      await attempt(name, () =>
        sweep({ folders, store, trash, ...configs, ...plans, deleteRuns, clock, periods, count, breathe }),
      );
      // The space of each part is freed before the next starts: the disk may be nearly full.
      await attempt('bin', empty);
    }
    return { removed, freedBytes };
  };
}
