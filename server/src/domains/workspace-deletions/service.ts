import type { ActivityService } from '#server/domains/activity/index';
import type { DependenciesService } from '#server/domains/dependencies/index';
import type { InterfacesDomain } from '#server/domains/interfaces/index';
import type { IssuerService } from '#server/domains/issuer/index';
import type { KeysService } from '#server/domains/keys/index';
import type { OutputSharesService } from '#server/domains/output-shares/index';
import type { TokensService } from '#server/domains/tokens/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { AppError, notFound } from '#server/kernel/errors';
import { failpoint } from '#server/kernel/failpoints';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import type { workspaceDeletionsApi } from '#shared/workspace-deletions/api';
import type { WorkspaceDeletion } from '#shared/workspace-deletions/contract';
import { createDeletionChecks } from './checks.ts';
import { createDeletionPreviews } from './preview.ts';
import type { DeletionRow, DeletionsStore } from './store.ts';

export type WorkspaceDeletionsService = ReturnType<typeof createWorkspaceDeletionsService>;

type Deps = {
  db: Db;
  clock: Clock;
  store: DeletionsStore;
  activity: Pick<ActivityService, 'record'>;
  workspaces: Pick<WorkspacesService, 'getWorkspace' | 'findRoles' | 'hasOther' | 'hideWorkspace'>;
  tokens: Pick<TokensService, 'revokeBound'>;
  shares: Pick<OutputSharesService, 'revoke'>;
  dependencies: Pick<DependenciesService, 'remove'>;
  interfaces: { upkeep: Pick<InterfacesDomain['upkeep'], 'workspaceDeleted'> };
  issuer: { capsuleClients: Pick<IssuerService['capsuleClients'], 'retire'> };
  keys: Pick<KeysService, 'shred'>;
  /** Removes the rows and files of Workspaces that were deleted. */
  startRemoval: () => void;
};
type Request = BodyOf<typeof workspaceDeletionsApi.deleteWorkspace>;

/**
 * Deletes Workspaces. The transaction of the request ends everything that acts and destroys the keys; rows and files
 * are removed after it, and by the next start if this one ends before.
 */
export function createWorkspaceDeletionsService(deps: Deps) {
  const { db, clock, store, workspaces } = deps;
  const previews = createDeletionPreviews(deps);
  const requireAllowed = createDeletionChecks({ previews, workspaces });

  /** Ends everything that acts, each part with the records of its domain. */
  function endWork(workspaceId: string, actorId: string): void {
    for (const id of store.listLiveShares(workspaceId)) deps.shares.revoke(id, actorId);
    for (const id of store.listDependents(workspaceId)) deps.dependencies.remove(id, actorId);
    deps.interfaces.upkeep.workspaceDeleted(workspaceId, actorId);
    for (const id of store.listCapsuleIds(workspaceId)) deps.issuer.capsuleClients.retire(id);
    deps.tokens.revokeBound(workspaceId, actorId);
  }

  function destroy(workspaceId: string, leftCapsules: WorkspaceDeletion['leftCapsules'], actorId: string): void {
    const { handle, displayName } = workspaces.getWorkspace(workspaceId);
    const deleted = store.countRecords(workspaceId);
    endWork(workspaceId, actorId);
    workspaces.hideWorkspace(workspaceId, actorId);
    const tombstone = { workspaceId, handle, displayName, leftCapsules };
    store.insertDeletion({ ...tombstone, deletedBy: actorId, deletedAt: clock.now(), completedAt: null });
    const metadata = { handle, displayName, ...deleted, leftCapsuleIds: leftCapsules.map(({ id }) => id) };
    const target = { targetType: 'workspace', targetId: workspaceId } as const;
    deps.activity.record({ workspaceId, actorId, action: 'workspace.deleted', ...target, metadata });
    store.deleteActing(workspaceId);
    deps.keys.shred(workspaceId);
    failpoint('deletion.shredded');
    db.afterCommit(deps.startRemoval);
  }

  const getRow = (workspaceId: string): DeletionRow => {
    const row = store.findDeletion(workspaceId);
    if (!row) throw notFound('deletion');
    return row;
  };

  function deletionOf({ completedAt, deletedAt, ...row }: DeletionRow): WorkspaceDeletion {
    return {
      ...row,
      status: completedAt === null ? 'deleting' : 'deleted',
      deletedAt: isoTime(deletedAt),
      ...(completedAt !== null && { completedAt: isoTime(completedAt) }),
      remains: { auditEvents: store.countAuditEvents(row.workspaceId), tombstone: true },
    };
  }

  return {
    preview: previews.preview,

    /**
     * Owners only. Throws 400 `handle_mismatch`; 409 `run_in_progress`, `last_active_workspace`,
     * `workspace_credentials_pending`, `workspace_capsules_changed` and `workspace_shares_in_use`; 409 `conflict` during a
     * re-encryption.
     */
    deleteWorkspace({ workspaceId, ...choices }: Request, actorId: string): WorkspaceDeletion {
      const { confirmHandle, leaveCapsuleIds, endShares, ...rest } = choices;
      nothingLeft(rest);
      return db.write(() => {
        workspaces.getWorkspace(workspaceId);
        if (!workspaces.findRoles(workspaceId, actorId)?.includes('owner'))
          throw new AppError('forbidden', 'Only an owner of this Workspace may delete it.');
        const left = requireAllowed(workspaceId, { confirmHandle, leaveCapsuleIds, endShares }, actorId);
        destroy(workspaceId, left, actorId);
        return deletionOf(getRow(workspaceId));
      });
    },

    /** Throws 404 for a deletion that another account requested. */
    getDeletion(workspaceId: string, actorId: string): WorkspaceDeletion {
      const row = getRow(workspaceId);
      if (row.deletedBy !== actorId) throw notFound('deletion');
      return deletionOf(row);
    },
  };
}
