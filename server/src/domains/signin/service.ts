import type { IdentityService, IssuedSession } from '#server/domains/identity/index';
import type { Db } from '#server/kernel/db';
import { AppError, notFound } from '#server/kernel/errors';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import type { SignInProvider, signInApi } from '#shared/signin/api';
import { createInvitationAcceptance, type InvitationPorts } from './invitations.ts';
import { createOwnerSetup, type SetupPorts } from './owner-setup.ts';
import { createPasswordProof } from './password-proof.ts';
import type { Provider } from './providers.ts';

export type SignInService = ReturnType<typeof createSignInService>;

type Deps = SetupPorts &
  InvitationPorts & {
    db: Db;
    identity: IdentityService;
    providers: readonly Provider[];
    /** Mails a sign-in link to the account of an e-mail; absent when this server sends no mail. */
    requestReset: ((email: string) => void) | undefined;
  };

/**
 * Sign-in methods that need no credential: setup, e-mail and password, an invitation. Each computes first and returns
 * the write.
 */
export function createSignInService(deps: Deps) {
  const { identity } = deps;
  const prove = createPasswordProof(deps);
  const { isSetupPending, ...setup } = createOwnerSetup(deps);

  return {
    ...setup,
    ...createInvitationAcceptance({ ...deps, prove }),

    ways: (): {
      providers: SignInProvider[];
      password: boolean;
      setupRequired: boolean;
      passwordReset: boolean;
    } => ({
      providers: [
        { id: 'password', enabled: deps.isPasswordOn, label: 'E-mail and password', protocol: 'password' },
        ...deps.providers.map(({ id, label }) => ({ id, enabled: true, label, protocol: 'oidc' as const })),
      ],
      password: deps.isPasswordOn,
      setupRequired: isSetupPending(),
      passwordReset: deps.isPasswordOn && deps.requestReset !== undefined,
    }),

    async prepareSignIn(
      { email, password, ...rest }: BodyOf<typeof signInApi.signIn>,
      { userAgent }: { userAgent: string | undefined },
    ): Promise<() => IssuedSession> {
      nothingLeft(rest);
      deps.takeTry(email);
      const proven = await prove(identity.findByEmail(email)?.subject, password);
      return () => identity.open(proven(), { userAgent, madeBy: 'password' });
    },

    /** Returns the write that requests a link by mail. 501 when this server sends no mail. */
    preparePasswordReset({ email, ...rest }: BodyOf<typeof signInApi.requestPasswordReset>): () => void {
      nothingLeft(rest);
      const { requestReset } = deps;
      if (!requestReset)
        throw new AppError(
          'capability_not_available',
          'This server sends no mail. Ask its operator for a sign-in link.',
        );
      deps.takeTry(`reset ${email}`);
      return () => requestReset(email);
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
