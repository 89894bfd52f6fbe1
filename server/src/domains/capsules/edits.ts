import type { ActivityService } from '#server/domains/activity/index';
import type { PreemptCheck, RunsService } from '#server/domains/runs/index';
import type { Db } from '#server/kernel/db';
import { failedPrecondition } from '#server/kernel/errors';
import type { Capsule } from '#shared/capsules/contract';
import { nothingLeft } from '#shared/kernel/endpoint';
import { type CapsulePatch, columnsOf, entriesOf, requireChange, switchOf } from './changes.ts';
import type { CapsuleMoves } from './moves.ts';
import type { CapsuleRecords } from './record.ts';
import type { WritablePathsPorts } from './writable-paths.ts';

type Deps = {
  db: Db;
  runs: Pick<RunsService, 'findBlocking' | 'isAwaited'>;
  preemptCheck: PreemptCheck;
  activity: Pick<ActivityService, 'record'>;
  records: CapsuleRecords;
  moves: Pick<CapsuleMoves, 'getRow' | 'move' | 'set'>;
  writing: WritablePathsPorts;
  requireAllowedPool: RequireAllowedPool;
};

/** Throws 409 `runner_pool_not_allowed` for a pool that the Workspace may not use. */
export type RequireAllowedPool = (workspaceId: string, poolId: string) => void;

/** Changes that a person or the operator makes to a Capsule. */
export function createCapsuleEdits({ db, runs, preemptCheck, activity, records, moves, ...ports }: Deps) {
  const { capsuleOf } = records;
  const { getRow, move, set } = moves;

  function requireNoRun(id: string): void {
    if (runs.findBlocking(id) === undefined && !runs.isAwaited(id)) return;
    throw failedPrecondition(
      'run_in_progress',
      'A Run of this Capsule is queued or running, or its plan waits for review. Apply, discard or cancel it, then change the folders.',
    );
  }

  return {
    /**
     * Corrects the status, enables or disables automatic updates, or sets the note, the labels, the schedule of drift
     * checks, the pool of the next plans or the folders that Runs may write to. 409 `run_in_progress` for the folders while
     * a Run would use others than those that were approved, `runner_pool_not_allowed` for the pool.
     */
    change(id: string, patch: CapsulePatch, actorId: string): Capsule {
      const { status, autoUpdate, writablePaths, note, driftSchedule, runnerPoolId, labels, ...rest } = patch;
      nothingLeft(rest);
      const changes = { autoUpdate, writablePaths, note, driftSchedule, runnerPoolId, labels };
      return db.write(() => {
        const row = getRow(id);
        requireChange(row, patch);
        const columns = columnsOf(row, changes, ports.writing);
        if (columns.runnerPoolId) ports.requireAllowedPool(row.workspaceId, columns.runnerPoolId);
        if (columns.writablePaths !== undefined) {
          requireNoRun(id);
          preemptCheck(id);
        }
        if (status !== undefined) move(id, `set_${status}`);
        if (Object.keys(columns).length > 0) set(id, columns);
        for (const entry of entriesOf(row, getRow(id)))
          activity.record({ workspaceId: row.workspaceId, actorId, targetType: 'capsule', targetId: id, ...entry });
        return capsuleOf(getRow(id));
      });
    },

    /** Disables automatic updates whatever the status, in the caller's transaction. */
    stopAutoUpdate(id: string): void {
      const { autoUpdate, workspaceId } = getRow(id);
      if (autoUpdate !== true) return;
      set(id, { autoUpdate: false });
      activity.record({ workspaceId, action: 'capsule.auto_update_disabled', targetType: 'capsule', targetId: id });
    },

    /** Disables a Capsule, or enables it again with its former status; repeating it changes nothing. */
    setDisabled(id: string, disabled: boolean, actorId: string): Capsule {
      return db.write(() => {
        const row = getRow(id);
        if (disabled === (row.status === 'disabled')) return capsuleOf(row);
        const { event, set } = switchOf(row, { disabled, isBusy: runs.findBlocking(id) !== undefined });
        if (disabled) preemptCheck(id);
        const capsule = move(id, event, set);
        activity.record({
          workspaceId: row.workspaceId,
          actorId,
          action: 'capsule.status_changed',
          targetType: 'capsule',
          targetId: id,
          metadata: { from: row.status, to: capsule.status },
        });
        return capsule;
      });
    },
  };
}
