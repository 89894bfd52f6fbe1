import { type Clock, isoTime } from '#server/kernel/clock';
import { jsonDigest } from '#server/kernel/digest';
import { failedPrecondition } from '#server/kernel/errors';
import { beforeSeq, type Cursors, type ListQueryOf, readPage } from '#server/kernel/page';
import { limits } from '#shared/limits';
import type { runsApi } from '#shared/runs/api';
import type { RunListChange } from '#shared/runs/changes';
import { capsuleRunTypes, type Run, type RunRow } from '#shared/runs/contract';
import { listChanges } from './changes.ts';
import type { ChangesStore } from './changes-store.ts';
import { recordGetter } from './moves.ts';
import { type RunView, runOf, runRowOf } from './record.ts';
import { type CapsuleRun, isCapsuleRun, isSyncRun, type RunRecord, type SyncRun } from './run-record.ts';
import type { RunsStore } from './store.ts';

type Deps = { clock: Clock; cursors: Cursors; store: RunsStore; changes: ChangesStore; viewNow: () => RunView };

/** Reads of the ledger. */
export function createRunQueries({ clock, cursors, store, changes, viewNow }: Deps) {
  const getRecord = recordGetter(store);

  return {
    findRecord: store.findRun,
    getRecord,
    /** Returns a Run that runs the tool. Throws for one that does not, because its caller is mistaken then. */
    getCapsuleRun(id: string): CapsuleRun {
      const run = getRecord(id);
      if (!isCapsuleRun(run)) throw new Error(`The ${run.type} Run ${id} does not run the tool.`);
      return run;
    },
    /** Returns a sync. Throws for another Run. */
    getSyncRun(id: string): SyncRun {
      const run = getRecord(id);
      if (!isSyncRun(run)) throw new Error(`The ${run.type} Run ${id} is not a sync.`);
      return run;
    },
    getRun: (id: string): Run => runOf(getRecord(id), viewNow()),
    findWorkspace: store.findWorkspace,
    listRuns(
      workspaceId: string,
      { view: form, ...query }: ListQueryOf<typeof runsApi.listRuns>,
    ): { runs: RunRow[]; changes?: RunListChange[]; nextCursor?: string } {
      if (form === 'changes') return listChanges({ cursors, store: changes, viewNow }, workspaceId, query);
      const { limit, cursor, ...filter } = query;
      const now = clock.now();
      const { rows, next } = readPage(
        cursors,
        { limit, cursor },
        {
          binding: `runs:${jsonDigest({ workspaceId, ...filter })}`,
          fetch: (after, most) =>
            store.listRuns({ workspaceId, before: beforeSeq(after), limit: most, now, ...filter }),
          positionOf: ({ seq }) => [seq],
        },
      );
      const view = viewNow();
      return { runs: rows.map((row) => runRowOf(row, view)), ...next };
    },

    listGroup(runGroupId: string): RunRow[] {
      const view = viewNow();
      return store.listGroup(runGroupId).map((row) => runRowOf(row, view));
    },

    /** Lists what identifies the members of groups and their state, by group, in the order in which they may start. */
    listMembers: (runGroupIds: readonly string[]) =>
      Map.groupBy(store.listMembers(runGroupIds, clock.now()).map(memberOf), ({ runGroupId }) => runGroupId),

    countLive: store.countLive,
    findOldestQueued: store.findOldestQueued,

    /** Throws when 20 Runs already wait for the Capsule. */
    requireCapacity(capsuleId: string): void {
      if (store.countQueued(capsuleId) >= limits.queuedRunsPerCapsule) {
        throw failedPrecondition(
          'run_queue_full',
          `There are already ${limits.queuedRunsPerCapsule} Runs waiting for this Capsule. Cancel some or wait.`,
        );
      }
    },
    findActive: (capsuleId: string): RunRecord | undefined => store.findActive(capsuleId, capsuleRunTypes),
    /** Returns an apply of the Capsule that is queued or running. */
    findActiveApply: (capsuleId: string): RunRecord | undefined =>
      store.findActive(capsuleId, ['apply', 'destroy_apply']),
    /** Returns a queued or running Run that a request for the Capsule has to wait for. A scheduled check gives way. */
    findBlocking: (capsuleId: string): RunRecord | undefined => store.findBlocking(capsuleId, capsuleRunTypes),

    /** Reports whether a plan with changes of the Capsule waits to be approved or applied. */
    isAwaited: (capsuleId: string): boolean => store.isAwaited(capsuleId, clock.now()),

    /** Returns Runs as lists show them, in this order; those that do not exist are left out. */
    listRows(ids: readonly string[]): RunRow[] {
      const view = viewNow();
      return ids.flatMap((id) => {
        const run = store.findRun(id);
        return run ? [runRowOf(run, view)] : [];
      });
    },

    /** Returns the id of the newest reviewable plan of the Capsule that is newer than this one. */
    findNewerPlan: (row: RunRecord): string | undefined => store.findNewerPlan(row, clock.now()),
  };
}

type StoredMember = ReturnType<RunsStore['listMembers']>[number];

const memberOf = ({ capsuleId, finishedAt, isAwaiting, ...member }: StoredMember) => ({
  ...member,
  ...(capsuleId !== null && { capsuleId }),
  ...(finishedAt !== null && { finishedAt: isoTime(finishedAt) }),
  ...(isAwaiting && { awaits: member.status === 'waiting_approval' ? ('approve' as const) : ('apply' as const) }),
});
