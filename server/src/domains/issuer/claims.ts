import type { IdentityService } from '#server/domains/identity/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { AccountClaims } from '#server/drivers/issuer/index';
import type { GrantRow } from './store.ts';

export type ClaimPorts = {
  identity: Pick<IdentityService, 'findAccount' | 'isActive'>;
  workspaces: Pick<WorkspacesService, 'findRoles' | 'isLive'>;
};

/** The Workspace of a token and the role of its account there. */
export type WorkspaceClaim = { workspace_id: string; role: string };

/** Returns the live role in a Workspace; undefined without an active membership or in an archived Workspace. */
export function findWorkspaceClaim(
  { workspaces }: Pick<ClaimPorts, 'workspaces'>,
  accountId: string,
  workspaceId: string,
): WorkspaceClaim | undefined {
  const [role] = workspaces.findRoles(workspaceId, accountId) ?? [];
  return role === undefined || !workspaces.isLive(workspaceId) ? undefined : { workspace_id: workspaceId, role };
}

/** Returns the claims of a grant; undefined when its account has no access any more. */
export function findClaims(ports: ClaimPorts, { accountId, workspaceId }: GrantRow): AccountClaims | undefined {
  const account = ports.identity.findAccount(accountId);
  if (!account || !ports.identity.isActive(accountId)) return undefined;
  const workspace = workspaceId === null ? undefined : findWorkspaceClaim(ports, accountId, workspaceId);
  if (workspaceId !== null && !workspace) return undefined;
  const { displayName, email } = account;
  return {
    profile: displayName === undefined || displayName === null ? {} : { name: displayName },
    email: email === undefined || email === null ? {} : { email, email_verified: false },
    workspace,
  };
}
