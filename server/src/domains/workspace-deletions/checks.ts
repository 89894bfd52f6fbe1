import type { WorkspacesService } from '#server/domains/workspaces/index';
import { failedPrecondition, invalidArgument } from '#server/kernel/errors';
import type { BodyOf } from '#shared/kernel/endpoint';
import type { workspaceDeletionsApi } from '#shared/workspace-deletions/api';
import type { DeletionBlocker } from '#shared/workspace-deletions/contract';
import type { DeletionPreviews } from './preview.ts';

type Choices = Omit<BodyOf<typeof workspaceDeletionsApi.deleteWorkspace>, 'workspaceId'>;
type Deps = { previews: DeletionPreviews; workspaces: Pick<WorkspacesService, 'getWorkspace'> };

const messages: Partial<Record<DeletionBlocker['reason'], string>> = {
  run_in_progress: 'Runs of this Workspace are queued or running. Wait for their end or cancel them.',
  last_active_workspace: 'This is your only Workspace. Create another one first.',
  workspace_credentials_pending:
    'Credentials of ended Runs are not revoked at their service yet. Try again later; the server tries for a day.',
};

/**
 * Returns the check of a request against the Workspace as it is now, inside the transaction of the deletion. It returns
 * the Capsules whose resources are left in place.
 */
export function createDeletionChecks({ previews, workspaces }: Deps) {
  return (workspaceId: string, { confirmHandle, leaveCapsuleIds, endShares }: Choices, actorId: string) => {
    if (confirmHandle !== workspaces.getWorkspace(workspaceId).handle)
      throw invalidArgument(
        'handle_mismatch',
        'The typed handle is not that of this Workspace. Type it as it is shown.',
      );
    const [blocker] = previews.listBlockers(workspaceId, actorId);
    if (blocker) throw failedPrecondition(blocker.reason, messages[blocker.reason] ?? '');
    const left = previews.listWithResources(workspaceId);
    const named = new Set(leaveCapsuleIds);
    if (left.length !== named.size || left.some(({ id }) => !named.has(id)))
      throw failedPrecondition(
        'workspace_capsules_changed',
        'The named Capsules are not those that have resources now. Read the preview again, then destroy or name each one.',
      );
    if (endShares !== true && previews.listSharesInUse(workspaceId).length > 0)
      throw failedPrecondition(
        'workspace_shares_in_use',
        'Another Workspace uses shared Outputs of this one. Tell its owner, then send the request with "endShares": true.',
      );
    return left.map(({ id, name }) => ({ id, name }));
  };
}
