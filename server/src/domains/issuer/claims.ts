import type { IdentityService } from '#server/domains/identity/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { AccountClaims } from '#server/drivers/issuer/index';
import { type CapsuleClients, isUsable } from './capsule-clients.ts';
import type { GrantRow } from './store.ts';

export type ClaimPorts = {
  capsuleClients: Pick<CapsuleClients, 'findBinding'>;
  identity: Pick<IdentityService, 'findAccount' | 'isActive'>;
  workspaces: Pick<WorkspacesService, 'findRoles' | 'isLive'>;
};

/** The Workspace of a token, the role of its account there and, for the client of a Capsule, that Capsule. */
export type WorkspaceClaim = { workspace_id: string; role: string; capsule_id?: string };

/** Returns the live role in a Workspace; undefined without an active membership or in an archived Workspace. */
export function findWorkspaceClaim(
  { workspaces }: Pick<ClaimPorts, 'workspaces'>,
  accountId: string,
  workspaceId: string,
): WorkspaceClaim | undefined {
  const [role] = workspaces.findRoles(workspaceId, accountId) ?? [];
  return role === undefined || !workspaces.isLive(workspaceId) ? undefined : { workspace_id: workspaceId, role };
}

/**
 * Returns the role of an account at a client: undefined without access, and null for a client of the operator that named no
 * Workspace. The client of a Capsule gives access only to its Workspace, and only while its authority is live.
 */
export function findAccess(
  ports: Pick<ClaimPorts, 'workspaces' | 'capsuleClients'>,
  { accountId, clientId, workspaceId }: Pick<GrantRow, 'accountId' | 'clientId' | 'workspaceId'>,
): WorkspaceClaim | null | undefined {
  const binding = ports.capsuleClients.findBinding(clientId);
  if (!isUsable(binding, workspaceId)) return undefined;
  if (workspaceId === null) return null;
  const claim = findWorkspaceClaim(ports, accountId, workspaceId);
  return claim && (binding ? { ...claim, capsule_id: binding.capsuleId } : claim);
}

/** Returns the claims of a grant; undefined when its account has no access any more. */
export function findClaims(ports: ClaimPorts, grant: GrantRow): AccountClaims | undefined {
  const { accountId } = grant;
  const account = ports.identity.findAccount(accountId);
  if (!account || !ports.identity.isActive(accountId)) return undefined;
  const workspace = findAccess(ports, grant);
  if (workspace === undefined) return undefined;
  const { displayName, email, isEmailVerified } = account;
  return {
    profile: displayName === undefined || displayName === null ? {} : { name: displayName },
    email: email === undefined || email === null ? {} : { email, email_verified: isEmailVerified },
    workspace: workspace ?? undefined,
  };
}
