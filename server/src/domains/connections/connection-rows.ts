import type { ActivityService } from '#server/domains/activity/index';
import { everyWorkspace, type Outbox } from '#server/kernel/outbox';
import type { ActivityAction } from '#shared/activity/actions';
import { connectionNotFound } from './access.ts';
import type { ConnectionRow, ConnectionsStore } from './store.ts';

type Deps = {
  store: Pick<ConnectionsStore, 'find'>;
  outbox: Outbox;
  activity: Pick<ActivityService, 'record'>;
};

export type ConnectionRows = ReturnType<typeof createConnectionRows>;

/** Reads the rows of Connections, and publishes and records what happens to them. */
export function createConnectionRows({ store, outbox, activity }: Deps) {
  const notify = ({ id, workspaceId }: ConnectionRow, status: string) =>
    outbox.push({ workspaceId: workspaceId ?? everyWorkspace, kind: 'connection', recordId: id, status });
  const recordActivity = (
    row: ConnectionRow,
    action: ActivityAction,
    { actorId, ...metadata }: { actorId: string; [key: string]: unknown },
  ) =>
    activity.record({
      workspaceId: row.workspaceId ?? undefined,
      actorId,
      action,
      targetType: 'connection',
      targetId: row.id,
      metadata,
    });
  function getRow(id: string): ConnectionRow {
    const row = store.find(id);
    if (!row) throw connectionNotFound();
    return row;
  }
  return { getRow, notify, recordActivity };
}
