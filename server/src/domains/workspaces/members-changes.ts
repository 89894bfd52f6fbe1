import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { AppError, failedPrecondition, invalidArgument, notFound } from '#server/kernel/errors';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import { roles } from '#shared/permissions';
import type { Member } from '#shared/workspaces/contract';
import type { membersApi } from '#shared/workspaces/members-api';
import { type createMemberActions, isOwner, memberOf, requireMember, roleOf } from './member-actions.ts';
import type { MemberKey, MemberRow, MembersStore } from './members-store.ts';

type Deps = {
  db: Db;
  clock: Clock;
  store: MembersStore;
  record: ReturnType<typeof createMemberActions>['record'];
  /** Closes streams and sessions whose authority is gone. */
  endDenied: () => void;
};
type Acting = MemberKey & { actorId: string };

/** Changes that owners make to members, and members to themselves. Every write belongs to the caller's transaction. */
export function createMemberChanges({ db, clock, store, record, endDenied }: Deps) {
  const leaving: ((key: MemberKey, actorId: string) => void)[] = [];

  function requireOtherOwner({ workspaceId, role, status }: MemberRow): void {
    if (role !== 'owner' || status !== 'active' || store.countOwners(workspaceId) > 1) return;
    throw failedPrecondition('last_owner', 'A Workspace keeps at least one owner. Make another member an owner first.');
  }

  return {
    /** Registers work that runs inside the transaction in which a member is removed. */
    onRemoved: (work: (member: MemberKey, actorId: string) => void): void => void leaving.push(work),

    /** Owners only. Throws 404 for a member who is neither active nor invited; 409 `last_owner`. */
    changeMember(
      { actorId, ...key }: Acting,
      { roles: sentRoles, role, ...rest }: BodyOf<typeof membersApi.changeMember>,
    ): Member {
      nothingLeft(rest);
      const [wanted, ...more] = (sentRoles ?? [role ?? '']).map(roleOf);
      if (wanted === undefined || more.length > 0)
        throw invalidArgument('role_invalid', 'A member has exactly one role. Send one.', { allowed: roles });
      const row = requireMember(store, key);
      if (row.status === 'suspended') throw notFound('member');
      if (wanted === row.role) return memberOf(row);
      requireOtherOwner(row);
      store.updateMember(key, { role: wanted, updatedAt: clock.now() });
      record('member.roles_changed', requireMember(store, key), { actorId, previousRole: row.role });
      db.afterCommit(endDenied);
      return memberOf(requireMember(store, key));
    },

    /** Removes all access at once; a suspended member stays suspended. Throws 409 `last_owner`. */
    removeMember({ actorId, ...key }: Acting): Member {
      const row = requireMember(store, key);
      if (row.status === 'suspended') return memberOf(row);
      if (actorId !== key.accountId && !isOwner(store, { ...key, accountId: actorId }))
        throw new AppError('forbidden', 'Only an owner of this Workspace may remove other members.');
      requireOtherOwner(row);
      store.withdrawInvitations(key, clock.now());
      store.updateMember(key, { status: 'suspended', updatedAt: clock.now() });
      record('member.removed', requireMember(store, key), { actorId });
      for (const work of leaving) work(key, actorId);
      db.afterCommit(endDenied);
      return memberOf(requireMember(store, key));
    },
  };
}
