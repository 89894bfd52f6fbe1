import type { ActivityService } from '#server/domains/activity/index';
import type { PlanRun, RunRecord } from '#server/domains/runs/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import type { MacKey } from '#server/kernel/digest';
import { failedPrecondition } from '#server/kernel/errors';
import type { Outbox } from '#server/kernel/outbox';
import { requirePlain } from '#server/kernel/plain-text';
import type { ActivityAction } from '#shared/activity/actions';
import type { DriftMark } from '#shared/drift/mark';
import type { PlanResource } from '#shared/plans/document';
import { findingOf } from './finding.ts';
import type { DriftStore, MarkRow } from './store.ts';

type Deps = {
  db: Db;
  clock: Clock;
  outbox: Pick<Outbox, 'push'>;
  activity: Pick<ActivityService, 'record'>;
  store: DriftStore;
  getRun: (id: string) => RunRecord;
  macKey: MacKey;
};
type MarkedRun = Pick<RunRecord, 'id' | 'workspaceId'> & { capsuleId: string };
export type Acknowledgement = { digest: string; reason: string };

const unacknowledged = { acknowledgedDigest: null, acknowledgedBy: null, acknowledgedAt: null, reason: null };
const without = { changed: 0, deleted: 0, digest: null };

/** Writes the drift marks of Capsules. All except `acknowledge` run in the transaction that ends a Run. */
export function createDriftMarks({ db, clock, outbox, activity, store, getRun, macKey }: Deps) {
  function save(row: MarkRow): void {
    store.saveMark(row);
    outbox.push({ workspaceId: row.workspaceId, kind: 'capsule', recordId: row.capsuleId });
  }

  const checkedBy = ({ id, workspaceId, capsuleId }: MarkedRun) => ({
    capsuleId,
    workspaceId,
    runId: id,
    checkedAt: clock.now(),
  });

  function record(row: MarkRow, action: ActivityAction, more: { actorId?: string; metadata: Record<string, unknown> }) {
    const { workspaceId, capsuleId, runId } = row;
    activity.record({ workspaceId, action, targetType: 'capsule', targetId: capsuleId, runId, ...more });
  }

  /** Records the result of a check. The history skips drift that is acknowledged, or that an earlier check reported. */
  function recordCheck(run: PlanRun, drift: readonly PlanResource[]): void {
    const before = store.findMark(run.capsuleId);
    const { changed, deleted, digest = null } = findingOf(drift, macKey);
    const isAcknowledged = digest !== null && before?.acknowledgedDigest === digest;
    const found = isAcknowledged ? 'acknowledged' : 'drifted';
    const status = digest === null ? 'none' : found;
    const acknowledgement = isAcknowledged ? acknowledgementOf(before) : unacknowledged;
    const row = { ...checkedBy(run), status, changed, deleted, digest, ...acknowledgement } as const;
    save(row);
    const isKnown = before?.digest === digest && run.createdBy === 'system';
    if (status === 'drifted' && !isKnown)
      record(row, 'capsule.drift_detected', { metadata: { count: changed + deleted } });
  }

  /** A check that failed says so; its Capsule keeps no older answer. An acknowledgement waits for the next answer. */
  function recordFailure(run: MarkedRun): void {
    const before = store.findMark(run.capsuleId);
    const acknowledgement = before ? acknowledgementOf(before) : unacknowledged;
    save({ ...checkedBy(run), ...without, status: 'failed', ...acknowledgement });
  }

  /**
   * An apply ends the drift that was found before its plan. What a check found later may still exist, so the Capsule is
   * checked again if it has a schedule; an acknowledgement waits for that answer.
   */
  function clear(run: MarkedRun, plan: Pick<RunRecord, 'startedAt' | 'createdAt'>): void {
    const before = store.findMark(run.capsuleId);
    if (!before) return;
    const isPlanOlder = (plan.startedAt ?? plan.createdAt) < before.checkedAt && before.status !== 'none';
    const acknowledgement = isPlanOlder ? acknowledgementOf(before) : unacknowledged;
    save({ ...checkedBy(run), ...without, status: 'none', ...acknowledgement });
    if (isPlanOlder) store.updateSchedule(run.capsuleId, { dueAt: clock.now() });
  }

  return {
    recordCheck,

    /** Called for each move of a Run. */
    recordMove(run: RunRecord): void {
      const { capsuleId, type, status, planRunId } = run;
      if (capsuleId === null) return;
      const marked = { ...run, capsuleId };
      if (type === 'drift_check' && status === 'failed') recordFailure(marked);
      if (type === 'apply' && status === 'succeeded' && planRunId !== null) clear(marked, getRun(planRunId));
      if (type === 'destroy_apply' && status === 'succeeded') store.deleteMark(capsuleId);
    },

    /**
     * Accepts the current drift until it differs. 409 `no_drift`, `drift_changed`, 400 for a reason that looks like a
     * credential.
     */
    acknowledge(capsuleId: string, { digest, reason }: Acknowledgement, actorId: string): void {
      db.write(() => {
        requirePlain('reason', reason);
        const row = store.findMark(capsuleId);
        if (!row?.digest)
          throw failedPrecondition('no_drift', 'The newest check of this Capsule found no drift. Check it again.');
        if (row.digest !== digest)
          throw failedPrecondition('drift_changed', 'The drift has changed since you read it. Reload and review it.');
        if (row.status === 'acknowledged' && row.reason === reason) return;
        const acknowledgement = { acknowledgedBy: actorId, acknowledgedAt: clock.now(), reason };
        save({ ...row, status: 'acknowledged', acknowledgedDigest: digest, ...acknowledgement });
        record(row, 'capsule.drift_acknowledged', { actorId, metadata: { count: row.changed + row.deleted } });
      });
    },
  };
}

const acknowledgementOf = ({ acknowledgedDigest, acknowledgedBy, acknowledgedAt, reason }: MarkRow) => ({
  acknowledgedDigest,
  acknowledgedBy,
  acknowledgedAt,
  reason,
});

/** Returns the public form of a mark. */
function markOf(row: MarkRow): DriftMark {
  const { status, runId, checkedAt, changed, deleted, digest, acknowledgedBy: by, acknowledgedAt, reason } = row;
  return {
    status,
    checkedAt: isoTime(checkedAt),
    runId,
    ...(status !== 'failed' && { resources: { changed, deleted } }),
    ...(digest !== null && { digest }),
    ...(status === 'acknowledged' &&
      by !== null &&
      acknowledgedAt !== null &&
      reason !== null && { acknowledged: { by, at: isoTime(acknowledgedAt), reason } }),
  };
}

/** Returns the look-up of the marks of a Workspace, by Capsule. */
export const createListDrift =
  (store: Pick<DriftStore, 'listMarks'>) =>
  (workspaceId: string): Map<string, DriftMark> =>
    new Map(store.listMarks(workspaceId).map((row) => [row.capsuleId, markOf(row)]));

/** Returns the look-up of a Capsule's mark. */
export const createFindDrift =
  (store: Pick<DriftStore, 'findMark'>) =>
  (capsuleId: string): DriftMark | undefined => {
    const row = store.findMark(capsuleId);
    return row && markOf(row);
  };
