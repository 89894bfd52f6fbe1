import type { ActivityService } from '#server/domains/activity/index';
import { newToken, tokenHashOf } from '#server/domains/identity/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import { invalidArgument, notFound } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import type { Outbox } from '#server/kernel/outbox';
import type { ActivityAction } from '#shared/activity/actions';
import { type Role, roles } from '#shared/permissions';
import { tokenPrefixes } from '#shared/vendor';
import type { Member } from '#shared/workspaces/contract';
import type { Invitation } from '#shared/workspaces/members-api';
import type { MemberKey, MemberRow, MembersStore } from './members-store.ts';

const invitationMs = 7 * 24 * 3_600_000;

type Deps = { clock: Clock; outbox: Pick<Outbox, 'push'>; activity: Pick<ActivityService, 'record'> };

/** Membership changes, with their activity records and outbox events. */
export function createMemberActions({ clock, outbox, activity }: Deps, store: MembersStore) {
  function record(action: ActivityAction, row: MemberRow, by: { actorId: string; previousRole?: Role }): void {
    const { actorId, ...more } = by;
    const { id, workspaceId, accountId, role, status } = row;
    const metadata = { accountId, role, ...more };
    activity.record({ workspaceId, actorId, action, targetType: 'member', targetId: id, metadata });
    outbox.push({ workspaceId, kind: 'member', recordId: id, status });
  }

  function put(key: MemberKey, row: MemberRow | undefined, values: Pick<MemberRow, 'role' | 'status'>): void {
    const now = clock.now();
    if (row) store.updateMember(key, { ...values, updatedAt: now });
    else store.insertMember({ ...key, ...values, id: newId('member'), createdAt: now, updatedAt: now });
  }

  return {
    record,
    activate: (key: MemberKey, { row, role }: { row: MemberRow | undefined; role: Role }): void =>
      put(key, row, { role, status: 'active' }),

    /** Creates a new link; earlier ones are withdrawn. */
    invite(
      key: MemberKey,
      { row, role, actorId, origin }: { row: MemberRow | undefined; role: Role; actorId: string; origin: string },
    ): { member: Member; invitation: Invitation } {
      const token = newToken(tokenPrefixes.invitation);
      const createdAt = clock.now();
      const expiresAt = createdAt + invitationMs;
      store.withdrawInvitations(key, createdAt);
      put(key, row, { role, status: 'invited' });
      store.insertInvitation({
        ...key,
        id: newId('invitation'),
        tokenHash: tokenHashOf(token),
        invitedBy: actorId,
        createdAt,
        expiresAt,
      });
      const member = store.findMember(key);
      if (!member) throw notFound('member');
      record('member.invited', member, { actorId });
      return {
        member: memberOf(member),
        invitation: { url: `${origin}/invite#${token}`, expiresAt: isoTime(expiresAt) },
      };
    },
  };
}

export const memberOf = (row: MemberRow): Member => ({
  id: row.id,
  workspaceId: row.workspaceId,
  accountId: row.accountId,
  roles: [row.role],
  status: row.status,
  ...(row.email !== null && { email: row.email }),
  ...(row.displayName !== null && { displayName: row.displayName }),
  createdAt: isoTime(row.createdAt),
  updatedAt: isoTime(row.updatedAt),
});

/** Throws 404 for an account that was never a member. */
export function requireMember(store: MembersStore, key: MemberKey): MemberRow {
  const row = store.findMember(key);
  if (!row) throw notFound('member');
  return row;
}

export function isOwner(store: MembersStore, key: MemberKey): boolean {
  const row = store.findMember(key);
  return row?.status === 'active' && row.role === 'owner';
}

/** Throws 400 `role_invalid` for an unknown role. */
export function roleOf(text: string): Role {
  const role = roles.find((one) => one === text);
  if (role) return role;
  throw invalidArgument('role_invalid', `The role does not exist. Use one of: ${roles.join(', ')}.`, {
    allowed: roles,
  });
}
