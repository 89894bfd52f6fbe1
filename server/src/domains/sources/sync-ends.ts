import type { ActivityService } from '#server/domains/activity/index';
import { auditItem, phaseItem, type RunsService, type SyncRun } from '#server/domains/runs/index';
import { GitError } from '#server/drivers/git/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { failpoint } from '#server/kernel/failpoints';
import type { Outbox } from '#server/kernel/outbox';
import type { RunErrorCode } from '#shared/errors';
import type { SyncIntent } from '#shared/runs/contract';
import type { SnapshotRow, SourcesStore } from './store.ts';
import type { SyncLines } from './sync-lines.ts';
import { type SyncTimes, syncPhasesOf } from './sync-phases.ts';

export type SyncEndPorts = {
  db: Db;
  clock: Clock;
  outbox: Outbox;
  store: Pick<SourcesStore, 'findSource' | 'updateSource' | 'moveLane'>;
  runs: RunsService;
  activity: Pick<ActivityService, 'record'>;
  /** Called in the transaction that moves a lane; the followers of the lane are in higher layers. */
  onHead: (head: SnapshotRow, sync: { intent: SyncIntent }) => void;
};

/** Error codes that need a repair by a person; the Source itself is then marked. */
const sourceFaults: readonly RunErrorCode[] = [
  'source_auth_failed',
  'source_not_git',
  'source_unreachable',
  'source_tls_failed',
];

export type FinishedSync = { snapshot: SnapshotRow; times: Omit<SyncTimes, 'finished'>; lines: SyncLines };

/** Commits the end of a sync: the head of its lane, or the reason that it has none. */
export function createSyncEnds(deps: SyncEndPorts) {
  const { db, runs } = deps;
  const { fail, endFailed } = createSyncFailures(deps);

  function endCancelled({ id, workspaceId }: SyncRun): void {
    const { cancelledBy } = runs.getSyncRun(id).input;
    const by = cancelledBy !== undefined ? { actor: cancelledBy } : {};
    db.write(() => {
      runs.move(id, 'cancel', { items: [auditItem('source_sync.cancelled', deps.clock.now(), by)] });
      const record = { workspaceId, action: 'run.cancelled' as const, targetType: 'run', targetId: id, runId: id };
      deps.activity.record({ ...record, actorId: by.actor });
    });
  }

  function end(run: SyncRun, error: unknown, how: { cancelled: boolean; late: boolean }): void {
    if (how.cancelled) endCancelled(run);
    else if (how.late) endFailed(run, 'source_timed_out', 'The repository did not answer in time.');
    else if (error instanceof GitError) endFailed(run, error.code, error.message);
    else throw error;
  }

  return { finish: createSyncCompletion(deps), end, endCancelled, fail };
}

/** Makes the snapshot the head of its lane and ends the Run. */
const createSyncCompletion =
  ({ db, clock, store, runs, ...deps }: SyncEndPorts) =>
  (run: SyncRun, { snapshot, times, lines }: FinishedSync): void => {
    db.write(() => {
      const now = clock.now();
      store.moveLane({
        sourceId: snapshot.sourceId,
        ref: snapshot.ref,
        path: snapshot.path,
        snapshotId: snapshot.id,
        syncedAt: now,
      });
      if (store.findSource(snapshot.sourceId)?.status === 'error')
        store.updateSource(snapshot.sourceId, { status: 'active', updatedAt: now });
      const phaseTimings = syncPhasesOf({ ...times, finished: now });
      runs.move(run.id, 'finish', {
        facts: { resolvedCommit: snapshot.resolvedCommit, sourceSnapshotId: snapshot.id, phaseTimings },
        items: [
          ...lines.take(),
          phaseItem('source', 'finished', now),
          auditItem('source_sync.completed', now, { data: { sourceSnapshotId: snapshot.id } }),
        ],
      });
      deps.activity.record({
        workspaceId: run.workspaceId,
        action: 'source.synced',
        targetType: 'source',
        targetId: snapshot.sourceId,
        runId: run.id,
        metadata: { sourceSnapshotId: snapshot.id, resolvedCommit: snapshot.resolvedCommit },
      });
      deps.onHead(snapshot, { intent: run.input.intent });
      publishSource({ ...deps, store }, run);
      failpoint('sync.finished');
    });
  };

function createSyncFailures(deps: SyncEndPorts) {
  const { db, clock, store, runs } = deps;

  function fail(run: SyncRun, errorCode: RunErrorCode, message: string): void {
    const now = clock.now();
    runs.extendInput(runs.getSyncRun(run.id), { error: message });
    runs.move(run.id, 'fail', {
      set: { errorCode },
      items: [
        { kind: 'diagnostic', at: now, payload: { severity: 'error', code: errorCode, message } },
        auditItem('source_sync.failed', now, { data: { errorCode } }),
      ],
    });
    deps.activity.record({
      workspaceId: run.workspaceId,
      action: 'source.sync_failed',
      targetType: 'source',
      targetId: run.sourceId,
      runId: run.id,
      metadata: { errorCode },
    });
  }

  function endFailed(run: SyncRun, errorCode: RunErrorCode, message: string): void {
    db.write(() => {
      const sourceId = run.sourceId;
      if (sourceFaults.includes(errorCode) && store.findSource(sourceId)?.status === 'active')
        store.updateSource(sourceId, { status: 'error', updatedAt: clock.now() });
      fail(run, errorCode, message);
      publishSource(deps, run);
    });
  }

  return { fail, endFailed };
}

/** Publishes that a Source has a new snapshot or another status. */
function publishSource(
  { store, outbox }: Pick<SyncEndPorts, 'store' | 'outbox'>,
  { workspaceId, sourceId }: SyncRun,
): void {
  const status = store.findSource(sourceId)?.status;
  outbox.push({ workspaceId, kind: 'source', recordId: sourceId, ...(status && { status }) });
}
