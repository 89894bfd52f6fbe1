import type { ActivityService } from '#server/domains/activity/index';
import { AppError, failedPrecondition } from '#server/kernel/errors';
import type { Outbox } from '#server/kernel/outbox';
import { afterCreated, type Cursors, createdOf, type ListQueryOf, readPage } from '#server/kernel/page';
import { next } from '#shared/kernel/machine';
import type { outputSharesApi } from '#shared/output-shares/api';
import { type OutputShare, type SharedOutput, seenName } from '#shared/output-shares/contract';
import { type ShareEvent, shareMachine } from '#shared/output-shares/machine';
import { createShareOffer, type OfferPorts } from './offer.ts';
import { createShareRows, shareOf } from './share-rows.ts';
import type { OutputSharesStore } from './store.ts';

export type OutputSharesService = ReturnType<typeof createOutputSharesService>;

type Deps = OfferPorts & {
  cursors: Cursors;
  outbox: Outbox;
  store: OutputSharesStore;
  activity: Pick<ActivityService, 'record'>;
};

const actions = { approve: 'output_share.approved', revoke: 'output_share.revoked' } as const;

/**
 * Shares of Outputs from one Workspace to another. A share names Outputs and holds no value: values are read when a
 * plan is created.
 */
export function createOutputSharesService(deps: Deps) {
  const { db, clock, cursors, store } = deps;
  const rows = createShareRows(deps);
  const { getRow, notify, record } = rows;

  /** The only writer of `status`. A transition that was already made returns the record unchanged. */
  function move(id: string, event: ShareEvent, by: { workspaceId: string; actorId: string }): OutputShare {
    return db.write(() => {
      const row = getRow(id);
      const status = next(shareMachine, row.status, event);
      if (!status) return shareOf(row);
      const now = clock.now();
      const set = { status, ...(event === 'approve' ? { acceptedAt: now } : { revokedAt: now }) };
      if (!store.move(id, row.status, set))
        throw new AppError('conflict', 'The share was modified by another request. Reload and try again.');
      const moved = getRow(id);
      record(moved, { ...by, action: actions[event] });
      notify(moved);
      return shareOf(moved);
    });
  }

  return {
    create: createShareOffer({ ...deps, rows }),
    /** The offering Workspace decides about revoking, the receiving one about accepting. */
    findGiver: (id: string): string | undefined => store.find(id)?.fromWorkspaceId,
    findReceiver: (id: string): string | undefined => store.find(id)?.toWorkspaceId,

    /** Throws 409 `share_revoked`. */
    approve(id: string, actorId: string): OutputShare {
      const row = getRow(id);
      if (row.status === 'revoked')
        throw failedPrecondition('share_revoked', 'This offer was revoked. Ask the other Workspace for a new one.');
      return move(id, 'approve', { workspaceId: row.toWorkspaceId, actorId });
    },
    revoke: (id: string, actorId: string): OutputShare =>
      move(id, 'revoke', { workspaceId: getRow(id).fromWorkspaceId, actorId }),

    isActive: (id: string): boolean => store.find(id)?.status === 'active',

    /**
     * Returns the Outputs that a Workspace may currently use of another Workspace's Capsule, keyed by the name it sees.
     */
    findShared(producerCapsuleId: string, toWorkspaceId: string): Map<string, SharedOutput & { shareId: string }> {
      const seen = new Map<string, SharedOutput & { shareId: string }>();
      for (const { id, outputs } of store.listActive(producerCapsuleId, toWorkspaceId))
        for (const output of outputs)
          if (!seen.has(seenName(output))) seen.set(seenName(output), { ...output, shareId: id });
      return seen;
    },

    list(
      workspaceId: string,
      query: Omit<ListQueryOf<typeof outputSharesApi.listShares>, 'workspaceId'>,
    ): { shares: OutputShare[]; nextCursor?: string } {
      const { rows, next: more } = readPage(cursors, query, {
        binding: `output-shares:${workspaceId}`,
        fetch: (after, limit) => store.listPage(workspaceId, afterCreated(after), limit),
        positionOf: createdOf,
      });
      return { shares: rows.map(shareOf), ...more };
    },
  };
}
