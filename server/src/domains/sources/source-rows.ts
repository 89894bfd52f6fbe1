import type { ActivityService } from '#server/domains/activity/index';
import type { Vault } from '#server/drivers/vault/index';
import { notFound } from '#server/kernel/errors';
import type { Outbox } from '#server/kernel/outbox';
import type { ActivityAction } from '#shared/activity/actions';
import type { SourceStatus } from '#shared/sources/contract';
import type { SnapshotRow, SourceRow, SourcesStore } from './store.ts';

type Deps = {
  store: Pick<SourcesStore, 'findSource' | 'findSnapshot'>;
  outbox: Outbox;
  activity: Pick<ActivityService, 'record'>;
  vault: Vault;
};

export type SourceRows = ReturnType<typeof createSourceRows>;

/** Reads the rows of Sources, and publishes and records what happens to them. */
export function createSourceRows({ store, outbox, activity, vault }: Deps) {
  return {
    getRow(id: string): SourceRow {
      const row = store.findSource(id);
      if (!row) throw notFound('Source');
      return row;
    },
    getSnapshotRow(sourceId: string, snapshotId: string): SnapshotRow {
      const row = store.findSnapshot(snapshotId);
      if (!row || row.sourceId !== sourceId) throw notFound('SourceSnapshot of this Source');
      return row;
    },
    notify: ({ id, workspaceId }: SourceRow, status?: SourceStatus): void =>
      outbox.push({ workspaceId, kind: 'source', recordId: id, ...(status && { status }) }),
    recordActivity: (row: SourceRow, actorId: string, action: ActivityAction): void =>
      activity.record({ workspaceId: row.workspaceId, actorId, action, targetType: 'source', targetId: row.id }),
    /** Seals the secret of the webhook of a Source. */
    sealHook: (row: { id: string; workspaceId: string }, secret: string): Buffer =>
      vault.seal(
        { table: 'sources', row: row.id, column: 'hook_secret', workspaceId: row.workspaceId },
        Buffer.from(secret),
      ),
  };
}
