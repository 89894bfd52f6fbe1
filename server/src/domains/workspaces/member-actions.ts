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

/** What happens to memberships, with the rows and the news that belong to it. */
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

    /** A new link; earlier ones are withdrawn. */
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

/** 404 for somebody who was never a member. */
export function requireMember(store: MembersStore, key: MemberKey): MemberRow {
  const row = store.findMember(key);
  if (!row) throw notFound('member');
  return row;
}

export function isOwner(store: MembersStore, key: MemberKey): boolean {
  const row = store.findMember(key);
  return row?.status === 'active' && row.role === 'owner';
}

/** 400 `role_invalid` for a word that is no role. */
export function roleOf(text: string): Role {
  const role = roles.find((one) => one === text);
  if (role) return role;
  throw invalidArgument('role_invalid', `There is no such role. Take one of: ${roles.join(', ')}.`, { allowed: roles });
}
