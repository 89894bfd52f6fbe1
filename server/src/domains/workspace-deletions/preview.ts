import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { DeletionBlocker, WorkspaceDeletionPreview } from '#shared/workspace-deletions/contract';
import type { DeletionsStore } from './store.ts';

type Deps = { store: DeletionsStore; workspaces: Pick<WorkspacesService, 'getWorkspace' | 'hasOther'> };
export type DeletionPreviews = ReturnType<typeof createDeletionPreviews>;

/** Reads what a deletion would remove, leave in place and keep. Writes nothing. */
export function createDeletionPreviews({ store, workspaces }: Deps) {
  const listSharesInUse = (workspaceId: string) =>
    store
      .listSharesInUse(workspaceId)
      .map(({ outputs, ...share }) => ({ ...share, outputs: outputs.map(({ name }) => name) }));
  const listWithResources = (workspaceId: string) =>
    store
      .listWithResources(workspaceId)
      .map(({ resourceCount, ...capsule }) => ({ ...capsule, ...(resourceCount !== null && { resourceCount }) }));

  /** Returns what refuses the deletion now; shares are not among it, because the request may end them. */
  function listBlockers(workspaceId: string, accountId: string): DeletionBlocker[] {
    const found: DeletionBlocker[] = [
      { reason: 'run_in_progress', count: store.countBusyRuns(workspaceId) },
      { reason: 'last_active_workspace', count: workspaces.hasOther(workspaceId, accountId) ? 0 : 1 },
      { reason: 'workspace_credentials_pending', count: store.countPendingRevocations(workspaceId) },
    ];
    return found.filter(({ count }) => count > 0);
  }

  return {
    listSharesInUse,
    listWithResources,
    listBlockers,

    preview(workspaceId: string, accountId: string): WorkspaceDeletionPreview {
      const { handle, displayName } = workspaces.getWorkspace(workspaceId);
      const statuses = store.countCapsules(workspaceId).map(({ status, n }) => [status, n]);
      return {
        workspaceId,
        handle,
        displayName,
        capsulesByStatus: Object.fromEntries(statuses),
        capsulesWithResources: listWithResources(workspaceId),
        sharesInUse: listSharesInUse(workspaceId),
        deletes: store.countRecords(workspaceId),
        remains: { auditEvents: store.countAuditEvents(workspaceId), tombstone: true },
        blockers: listBlockers(workspaceId, accountId),
      };
    },
  };
}
