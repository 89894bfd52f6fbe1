import type { ActivityService } from '#server/domains/activity/index';
import type { IdentityService } from '#server/domains/identity/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { AppError, failedPrecondition, notFound } from '#server/kernel/errors';
import type { Outbox } from '#server/kernel/outbox';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import type { Member } from '#shared/workspaces/contract';
import type { Invitation, membersApi } from '#shared/workspaces/members-api';
import { createMemberActions, isOwner, memberOf, requireMember, roleOf } from './member-actions.ts';
import { createMemberChanges } from './members-changes.ts';
import { createInvitations } from './members-invitations.ts';
import { createMembersStore } from './members-store.ts';

export type MembersService = ReturnType<typeof createMembersService>;

type Deps = {
  db: Db;
  clock: Clock;
  outbox: Pick<Outbox, 'push'>;
  activity: Pick<ActivityService, 'record'>;
  identity: Pick<IdentityService, 'findAccount' | 'findByEmail' | 'reserve'>;
  /** Reports whether an invited person without an account can sign in at all. */
  canInvite: () => boolean;
  /** Closes streams and sessions whose authority is gone. */
  endDenied: () => void;
};
type NewMember = BodyOf<typeof membersApi.addMember>;
/** Workspace of the new member, and who adds it from which origin. */
type AddContext = { workspaceId: string; actorId: string; origin: string };

/** Manages the members of a Workspace. Every write belongs to the caller's transaction. */
export function createMembersService(deps: Deps) {
  const { clock, identity } = deps;
  const store = createMembersStore(deps.db);
  const { record, invite, activate } = createMemberActions(deps, store);

  /**
   * Returns the target account. Throws 404 for an unknown account, and for an unknown e-mail when invitations cannot be
   * accepted.
   */
  function findTarget(
    { workspaceId, actorId }: AddContext,
    { email, accountId, subject: sent, ...rest }: Omit<NewMember, 'role'>,
  ) {
    nothingLeft(rest);
    if (email !== undefined) {
      const known = identity.findByEmail(email);
      if (known && !known.isReserved) return known;
      if (!deps.canInvite()) throw notFound('account');
      return known ?? { subject: identity.reserve(email, actorId), isReserved: true };
    }
    const subject = accountId ?? sent ?? '';
    const account = identity.findAccount(subject);
    if (account) return account;
    if (store.findMember({ workspaceId, accountId: subject })) return { subject, isReserved: true };
    throw notFound('account');
  }

  return {
    ...createInvitations({ clock, store, record, activate }),
    ...createMemberChanges({ ...deps, store, record }),

    listMembers: (workspaceId: string): Member[] => store.listMembers(workspaceId).map(memberOf),

    addMember(
      context: AddContext,
      { role: sentRole, ...person }: NewMember,
    ): { member: Member; invitation?: Invitation } {
      const { workspaceId, actorId, origin } = context;
      const role = roleOf(sentRole);
      const target = findTarget(context, person);
      const key = { workspaceId, accountId: target.subject };
      const row = store.findMember(key);
      if ((role === 'owner' || row?.role === 'owner') && !isOwner(store, { workspaceId, accountId: actorId }))
        throw new AppError('forbidden', 'Only an owner of this Workspace may add owners or change them.');
      if (row?.status === 'active')
        throw failedPrecondition('member_exists', 'This account is a member already. Change its role instead.');
      if (target.isReserved || row?.status === 'invited') return invite(key, { row, role, actorId, origin });
      activate(key, { row, role });
      record('member.added', requireMember(store, key), { actorId });
      return { member: memberOf(requireMember(store, key)) };
    },
  };
}
