import type { ActivityService } from '#server/domains/activity/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import type { Outbox } from '#server/kernel/outbox';
import type { ActivityAction } from '#shared/activity/actions';
import { type CopyRevisionEvent, copyRevisionMachine } from '#shared/copies/machine';
import { next } from '#shared/kernel/machine';
import type { CopiesStore, RevisionHead, RevisionRow } from './store.ts';

export type MovePorts = {
  db: Db;
  clock: Clock;
  outbox: Outbox;
  store: CopiesStore;
  activity: Pick<ActivityService, 'record'>;
};

type Move = {
  set?: Partial<RevisionRow>;
  action?: ActivityAction;
  actorId?: string | undefined;
  metadata?: Record<string, unknown>;
};
export type RevisionMoves = ReturnType<typeof createRevisionMoves>;

/** Moves revisions along their machine, each move with its audit record and its event. */
export function createRevisionMoves({ db, clock, outbox, store, activity }: MovePorts) {
  const notify = ({ copyId, workspaceId }: Pick<RevisionHead, 'copyId' | 'workspaceId'>, status?: string): void =>
    outbox.push({ workspaceId, kind: 'copy', recordId: copyId, ...(status !== undefined && { status }) });

  return {
    notify,

    /** Returns whether the revision moved: it may have been cancelled, or deleted, since it was read. */
    move(id: string, event: CopyRevisionEvent, { set, action, actorId, metadata }: Move = {}): boolean {
      return db.write(() => {
        const head = store.findHead(id);
        const status = head && next(copyRevisionMachine, head.status, event);
        if (!head || !status) return false;
        const now = clock.now();
        store.moveRevision(id, head.status, { ...set, status, updatedAt: now });
        store.updateCopy(head.copyId, { updatedAt: now });
        const { copyId, workspaceId } = head;
        if (action)
          activity.record({
            workspaceId,
            actorId,
            action,
            targetType: 'copy',
            targetId: copyId,
            metadata: { revisionId: id, ...metadata },
          });
        notify(head, status);
        return true;
      });
    },
  };
}
