import type { ActivityService } from '#server/domains/activity/index';
import { isoTime } from '#server/kernel/clock';
import { notFound } from '#server/kernel/errors';
import type { Outbox } from '#server/kernel/outbox';
import type { ActivityAction } from '#shared/activity/actions';
import { seenName } from '#shared/output-shares/contract';
import type { OutputSharesStore, ShareRow } from './store.ts';

type Deps = {
  store: Pick<OutputSharesStore, 'find'>;
  outbox: Outbox;
  activity: Pick<ActivityService, 'record'>;
};

export type ShareRows = ReturnType<typeof createShareRows>;

/** Reads the rows of shares, and publishes and records what happens to them. */
export function createShareRows({ store, outbox, activity }: Deps) {
  function getRow(id: string): ShareRow {
    const row = store.find(id);
    if (!row) throw notFound('OutputShare');
    return row;
  }

  /** Notifies both Workspaces, because both show the share. */
  function notify({ id, fromWorkspaceId, toWorkspaceId, status }: ShareRow): void {
    for (const workspaceId of new Set([fromWorkspaceId, toWorkspaceId]))
      outbox.push({ workspaceId, kind: 'output_share', recordId: id, status });
  }

  const record = (row: ShareRow, entry: { workspaceId: string; actorId: string; action: ActivityAction }) =>
    activity.record({
      ...entry,
      targetType: 'output_share',
      targetId: row.id,
      metadata: {
        producerCapsuleId: row.producerCapsuleId,
        fromWorkspaceId: row.fromWorkspaceId,
        toWorkspaceId: row.toWorkspaceId,
        outputs: row.outputs.map(seenName),
        ...(row.sensitiveReason !== null && { sensitiveReason: row.sensitiveReason }),
      },
    });

  return { getRow, notify, record };
}

export const shareOf = ({
  createdAt,
  acceptedAt,
  revokedAt,
  createdBy: _by,
  sensitiveReason: _why,
  ...row
}: ShareRow) => ({
  ...row,
  createdAt: isoTime(createdAt),
  ...(acceptedAt !== null && { acceptedAt: isoTime(acceptedAt) }),
  ...(revokedAt !== null && { revokedAt: isoTime(revokedAt) }),
});
