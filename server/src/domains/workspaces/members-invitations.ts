import { tokenHashOf } from '#server/domains/identity/index';
import type { Clock } from '#server/kernel/clock';
import { AppError } from '#server/kernel/errors';
import type { Member } from '#shared/workspaces/contract';
import { type createMemberActions, memberOf, requireMember } from './member-actions.ts';
import type { MembersStore } from './members-store.ts';

/** An invitation that may still be accepted. */
export type LiveInvitation = {
  id: string;
  workspaceId: string;
  accountId: string;
  invitedBy: string | null;
  expiresAt: number;
};

type Deps = { clock: Clock; store: MembersStore } & Pick<ReturnType<typeof createMemberActions>, 'record' | 'activate'>;

/** Changes of invitations. Every write belongs to the caller's transaction. */
export function createInvitations({ clock, store, record, activate }: Deps) {
  return {
    /** Returns the invitation of a token; undefined for one that is unknown, used, withdrawn or expired. */
    findInvitation(token: string): LiveInvitation | undefined {
      return store.findInvitation(tokenHashOf(token), clock.now());
    },

    /**
     * Activates exactly the inviting membership. Throws 404 `invitation_not_found` when it was used or withdrawn since.
     */
    accept({ id, workspaceId, accountId }: LiveInvitation): Member {
      const key = { workspaceId, accountId };
      if (!store.spendInvitation(id, clock.now())) throw invitationNotFound();
      activate(key, { row: requireMember(store, key), role: requireMember(store, key).role });
      record('member.joined', requireMember(store, key), { actorId: key.accountId });
      return memberOf(requireMember(store, key));
    },

    /** Withdraws every open invitation. Returns their number. */
    withdrawEveryInvitation: (): number => store.withdrawEvery(clock.now()),

    hasInvitation: (accountId: string): boolean => store.listInvitations(accountId, clock.now()).length > 0,

    /** Converts every live invitation of a reserved subject into a membership of the account that accepted. */
    acceptAll(reserved: string, accountId: string): void {
      for (const { id, workspaceId } of store.listInvitations(reserved, clock.now())) {
        store.spendInvitation(id, clock.now());
        const invited = { workspaceId, accountId: reserved };
        const key = { workspaceId, accountId };
        const { role } = requireMember(store, invited);
        const own = reserved === accountId ? undefined : store.findMember(key);
        if (own) store.updateMember(invited, { status: 'suspended', updatedAt: clock.now() });
        else store.updateMember(invited, { accountId, status: 'active', updatedAt: clock.now() });
        if (own?.status === 'active') continue;
        if (own) activate(key, { row: own, role });
        record('member.joined', requireMember(store, key), { actorId: accountId });
      }
    },
  };
}

export const invitationNotFound = (): AppError =>
  new AppError(
    'invitation_not_found',
    'This invitation was used already, was withdrawn, or is older than seven days. Ask for a new one.',
  );
