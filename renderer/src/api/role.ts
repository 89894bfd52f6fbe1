import { useQuery } from '@tanstack/react-query';
import { publicApi } from '#shared/api';
import { type Role, rolesOf } from '#shared/permissions';
import type { Member } from '#shared/workspaces/contract';
import type { EndpointName } from './client.ts';
import { membersQuery } from './members.ts';
import { useSession, useWorkspaceId } from './session.tsx';

/** Returns the role of the signed-in person in the Workspace, or undefined while it is unknown. */
export function useRole(): Role | undefined {
  const subject = useSession().data?.session.subject;
  const members = useQuery(membersQuery(useWorkspaceId())).data;
  return members && roleOf(members, subject);
}

/** Returns the role of an active member. */
export const roleOf = (members: readonly Member[], subject: string | undefined): Role | undefined =>
  members.find(({ accountId, status }) => accountId === subject && status === 'active')?.roles[0];

/** Reports whether a role may call a route. The server decides when the role is unknown or the route has no roles. */
export function isAllowed(role: Role | undefined, name: EndpointName): boolean {
  const allowed = rolesOf[publicApi[name].class];
  return role === undefined || allowed === undefined || allowed.includes(role);
}

/** Returns whether the role of the signed-in person allows a call. */
export function useMay(): (name: EndpointName) => boolean {
  const role = useRole();
  return (name) => isAllowed(role, name);
}
