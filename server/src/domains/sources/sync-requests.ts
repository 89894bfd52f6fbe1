import type { ActivityService } from '#server/domains/activity/index';
import { auditItem, type RunsService } from '#server/domains/runs/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { failedPrecondition, notFound } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import type { SyncIntent, SyncTrigger } from '#shared/runs/contract';
import type { SourceSyncRun } from '#shared/sources/contract';
import { syncRunOf } from './records.ts';
import type { SourceRow, SourcesStore } from './store.ts';

export type Lane = { ref: string; path: string };
/** Requester of a sync: a person, or a watcher. */
type SyncRequester = { actorId: string } | { trigger: SyncTrigger };

type Deps = {
  db: Db;
  clock: Clock;
  store: Pick<SourcesStore, 'findSource'>;
  runs: RunsService;
  workspaces: Pick<WorkspacesService, 'requireLive'>;
  activity: Pick<ActivityService, 'record'>;
};

export function createSyncRequests({ db, clock, store, runs, workspaces, activity }: Deps) {
  /** Queues a sync of a lane. */
  function queue(row: SourceRow, lane: Lane, { intent, ...requester }: { intent: SyncIntent } & SyncRequester): string {
    const id = newId('sync');
    const actor = 'actorId' in requester ? { actorId: requester.actorId } : {};
    const trigger = 'trigger' in requester ? { trigger: requester.trigger } : {};
    const input = { url: row.url, path: lane.path, intent };
    const run = {
      id,
      workspaceId: row.workspaceId,
      type: 'source_sync' as const,
      createdBy: actor.actorId ?? 'system',
      sourceId: row.id,
      facts: { subject: { kind: 'source' as const, id: row.id }, ref: lane.ref, ...trigger },
      input,
    };
    const details = actor.actorId === undefined ? { data: trigger } : { actor: actor.actorId };
    runs.create(run, [auditItem('source_sync.requested', clock.now(), details)]);
    activity.record({
      workspaceId: row.workspaceId,
      ...actor,
      action: 'source.sync_requested',
      targetType: 'source',
      targetId: row.id,
      runId: id,
      metadata: trigger,
    });
    return id;
  }

  const liveOf = (sourceId: string, lane: Lane, intent: SyncIntent) =>
    runs.store.findActiveSync(sourceId).filter((run) => {
      const { facts, input } = run;
      return facts.ref === lane.ref && input.path === lane.path && input.intent === intent;
    });

  return {
    /** Queues a sync, or joins a live one of the same lane and intent. `isNew` reports which. */
    requestSync(
      sourceId: string,
      request: { intent: SyncIntent; lane?: Lane | undefined; actorId: string },
    ): { run: SourceSyncRun; isNew: boolean } {
      return db.write(() => {
        const row = store.findSource(sourceId);
        if (!row) throw notFound('Source');
        workspaces.requireLive(row.workspaceId);
        if (row.status === 'disabled')
          throw failedPrecondition('source_disabled', 'This Source is disabled. Set its status to active first.');
        const { lane = { ref: row.defaultRef, path: row.defaultPath }, intent, actorId } = request;
        const [same] = liveOf(sourceId, lane, intent);
        if (same) return { run: syncRunOf(same, undefined), isNew: false };
        const id = queue(row, lane, { intent, actorId });
        return { run: syncRunOf(runs.getSyncRun(id), undefined), isNew: true };
      });
    },

    /**
     * Requests an `observe` sync of each lane, at most one waiting per lane; returns the Runs that will see the current
     * refs. A running sync may have read the refs before the reported push, so it is not joined.
     */
    requestLanes(row: SourceRow, lanes: readonly Lane[], trigger: SyncTrigger): string[] {
      return lanes.map((lane) => {
        const waiting = liveOf(row.id, lane, 'observe').find(({ status }) => status === 'queued');
        return waiting?.id ?? queue(row, lane, { intent: 'observe', trigger });
      });
    },
  };
}
