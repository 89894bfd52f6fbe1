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
import type { Db } from '#server/kernel/db';
import { AppError, notFound } from '#server/kernel/errors';
import type { InvitationSummary, SignInProvider } from '#shared/signin/api';
import type { Member } from '#shared/workspaces/contract';
import type { Provider } from './providers.ts';
import type { SetupCode } from './setup.ts';

export type SignInService = ReturnType<typeof createSignInService>;

type Deps = {
  db: Db;
  identity: IdentityService;
  members: Pick<MembersService, 'findInvitation' | 'accept'>;
  passwords: Passwords;
  /** Counts one attempt for an e-mail. Throws 429 `rate_limited`. */
  takeTry: (email: string) => void;
  workspaces: Pick<WorkspacesService, 'requireLive' | 'getWorkspace'>;
  isPasswordOn: boolean;
  providers: readonly Provider[];
  code: SetupCode;
};
type From = { userAgent: string | undefined };
type Setup = From & { code: string; email: string; displayName: string; password: string };
type Acceptance = From & { token: string; displayName: string; password: string };

const wrongPassword = () =>
  new AppError(
    'invalid_credentials',
    'E-mail or password is not right. Type both again, or ask the operator for help.',
  );

/**
 * Sign-in methods that need no credential: setup, e-mail and password, an invitation. Each computes first and returns
 * the write.
 */
export function createSignInService(deps: Deps) {
  const { db, identity, members, passwords, workspaces, code } = deps;

  /** Reports whether the local owner still has no password, so that the setup code in the console can set one. */
  const isSetupPending = (): boolean => deps.isPasswordOn && identity.findLocalOwner()?.hasPassword === false;

  const notPending = () =>
    new AppError('not_found', 'This server is set up already. Sign in with your e-mail and password.');

  /** Records a refusal. An unknown e-mail is recorded too, so that both cases take the same time. */
  function refused(subject: string | undefined): AppError {
    db.write(() => identity.recordFailure(subject));
    return wrongPassword();
  }

  /**
   * Throws 401 unless this is the password of the account. The returned function checks the account again inside the
   * write, and returns its id.
   */
  async function prove(subject: string | undefined, password: string): Promise<() => string> {
    const was = subject === undefined ? undefined : identity.findPasswordHash(subject);
    const isRight = await passwords.verify(was, password);
    if (!isRight || subject === undefined) throw refused(subject);
    return () => {
      identity.requireEnabled(subject);
      // A password that was changed during the comparison is no longer valid.
      if (identity.findPasswordHash(subject) !== was) throw wrongPassword();
      return subject;
    };
  }

  async function prepareAccount({ accountId }: LiveInvitation, { displayName, password }: Acceptance) {
    const holder = identity.findHolder(accountId);
    if (!holder) throw invitationNotFound();
    if (holder.email !== null) deps.takeTry(holder.email);
    if (!holder.isReserved) return prove(accountId, password);
    requireStrongPassword(password, holder.email);
    const passwordHash = await passwords.hash(password);
    return () => {
      if (identity.findHolder(accountId)?.isReserved !== true) throw meanwhile();
      identity.claim(accountId, { displayName, passwordHash });
    };
  }

  return {
    ways: (): { providers: SignInProvider[]; password: boolean; setupRequired: boolean } => ({
      providers: [
        { id: 'password', enabled: deps.isPasswordOn, label: 'E-mail and password', protocol: 'password' },
        ...deps.providers.map(({ id, label }) => ({ id, enabled: true, label, protocol: 'oidc' as const })),
      ],
      password: deps.isPasswordOn,
      setupRequired: isSetupPending(),
    }),

    /**
     * Returns the setup link that is printed to the console; undefined when setup is done or passwords are disabled.
     */
    setupLink: (origin: string): string | undefined => (isSetupPending() ? `${origin}/setup#${code.text}` : undefined),

    async prepareSetup({ userAgent, ...input }: Setup): Promise<() => IssuedSession> {
      if (!isSetupPending()) throw notPending();
      deps.takeTry(input.email);
      if (!code.matches(input.code))
        throw new AppError(
          'invalid_credentials',
          'This is not the setup code of this server. It prints a fresh one at each start; use the last.',
        );
      requireStrongPassword(input.password, input.email);
      const passwordHash = await passwords.hash(input.password);
      return () => {
        if (!isSetupPending()) throw notPending();
        const { email, displayName } = input;
        const subject = identity.setUpOwner({ email, displayName, passwordHash });
        return identity.open(subject, { userAgent, madeBy: 'setup' });
      };
    },

    async prepareSignIn(input: From & { email: string; password: string }): Promise<() => IssuedSession> {
      deps.takeTry(input.email);
      const proven = await prove(identity.findByEmail(input.email)?.subject, input.password);
      return () => identity.open(proven(), { userAgent: input.userAgent, madeBy: 'password' });
    },

    /** Throws 404 `invitation_not_found`, 409 for an archived Workspace. */
    inspectInvitation(token: string): InvitationSummary {
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

    async prepareAcceptance(input: Acceptance): Promise<() => { issued: IssuedSession; member: Member }> {
      const invitation = members.findInvitation(input.token);
      if (!invitation) throw invitationNotFound();
      workspaces.requireLive(invitation.workspaceId);
      const prepared = await prepareAccount(invitation, input);
      return () => {
        workspaces.requireLive(invitation.workspaceId);
        prepared();
        const member = members.accept(invitation);
        const { userAgent } = input;
        return { issued: identity.open(invitation.accountId, { userAgent, madeBy: 'invitation' }), member };
      };
    },

    /** Returns 501 for a disabled capability. */
    findRefusal: (_capability: 'password_sign_in'): AppError | undefined =>
      deps.isPasswordOn
        ? undefined
        : new AppError(
            'capability_not_available',
            'Sign-in by e-mail and password is disabled on this server. Use a provider, or ask the operator for a link.',
          ),

    /** Throws 404 for a provider that is not configured. */
    requireProvider(id: string): Provider {
      const provider = deps.providers.find((one) => one.id === id);
      if (!provider) throw notFound('sign-in provider');
      return provider;
    },
  };
}

const meanwhile = () => new AppError('conflict', 'The invitation was already used. Sign in with your password.');
