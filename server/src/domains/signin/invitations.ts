import {
  type IdentityService,
  type IssuedSession,
  type Passwords,
  requireStrongPassword,
} from '#server/domains/identity/index';
import {
  invitationNotFound,
  type LiveInvitation,
  type MembersService,
  type WorkspacesService,
} from '#server/domains/workspaces/index';
import { isoTime } from '#server/kernel/clock';
import { AppError } from '#server/kernel/errors';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import type { InvitationSummary, signInApi } from '#shared/signin/api';
import type { Member } from '#shared/workspaces/contract';
import type { PasswordProof } from './password-proof.ts';

type Acceptance = BodyOf<typeof signInApi.acceptInvitation>;

export type InvitationPorts = {
  identity: Pick<IdentityService, 'findHolder' | 'claim' | 'open'>;
  members: Pick<MembersService, 'findInvitation' | 'accept'>;
  passwords: Passwords;
  /** Counts one attempt for an e-mail. Throws 429 `rate_limited`. */
  takeTry: (email: string) => void;
  workspaces: Pick<WorkspacesService, 'requireLive' | 'getWorkspace'>;
};

const alreadyUsed = () => new AppError('conflict', 'The invitation was already used. Sign in with your password.');

/** Reads invitations and accepts them, with the password of the account or its first one. */
export function createInvitationAcceptance({ prove, ...deps }: InvitationPorts & { prove: PasswordProof }) {
  const { identity, members, passwords, workspaces } = deps;

  async function prepareAccount({ accountId }: LiveInvitation, { displayName, password }: Omit<Acceptance, 'token'>) {
    const holder = identity.findHolder(accountId);
    if (!holder) throw invitationNotFound();
    if (holder.email !== null) deps.takeTry(holder.email);
    if (!holder.isReserved) return prove(accountId, password);
    requireStrongPassword(password, holder.email);
    const passwordHash = await passwords.hash(password);
    return () => {
      if (identity.findHolder(accountId)?.isReserved !== true) throw alreadyUsed();
      identity.claim(accountId, { displayName, passwordHash });
    };
  }

  return {
    /** Throws 404 `invitation_not_found`, 409 for an archived Workspace. */
    inspectInvitation({ token, ...rest }: BodyOf<typeof signInApi.inspectInvitation>): InvitationSummary {
      nothingLeft(rest);
      const invitation = members.findInvitation(token);
      if (!invitation) throw invitationNotFound();
      workspaces.requireLive(invitation.workspaceId);
      const { displayName } = workspaces.getWorkspace(invitation.workspaceId);
      const inviter = invitation.invitedBy === null ? undefined : identity.findHolder(invitation.invitedBy);
      const inviterName = inviter?.displayName ?? inviter?.email;
      const email = identity.findHolder(invitation.accountId)?.email;
      return {
        workspaceName: displayName,
        ...(inviterName && { inviterName }),
        ...(email && { email }),
        expiresAt: isoTime(invitation.expiresAt),
      };
    },

    async prepareAcceptance(
      { token, displayName, password, ...rest }: Acceptance,
      { userAgent }: { userAgent: string | undefined },
    ): Promise<() => { issued: IssuedSession; member: Member }> {
      nothingLeft(rest);
      const invitation = members.findInvitation(token);
      if (!invitation) throw invitationNotFound();
      workspaces.requireLive(invitation.workspaceId);
      const prepared = await prepareAccount(invitation, { displayName, password });
      return () => {
        workspaces.requireLive(invitation.workspaceId);
        prepared();
        const member = members.accept(invitation);
        return { issued: identity.open(invitation.accountId, { userAgent, madeBy: 'invitation' }), member };
      };
    },
  };
}
