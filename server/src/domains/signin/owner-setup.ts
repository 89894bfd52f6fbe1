import {
  type IdentityService,
  type IssuedSession,
  type Passwords,
  requireStrongPassword,
} from '#server/domains/identity/index';
import { AppError } from '#server/kernel/errors';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import type { signInApi } from '#shared/signin/api';
import type { SetupCode } from './setup.ts';

export type SetupPorts = {
  identity: Pick<IdentityService, 'findLocalOwner' | 'setUpOwner' | 'open'>;
  passwords: Passwords;
  /** Counts one attempt for an e-mail. Throws 429 `rate_limited`. */
  takeTry: (email: string) => void;
  isPasswordOn: boolean;
  code: SetupCode;
};

/** Gives the local owner the first password, by the setup code in the console. */
export function createOwnerSetup({ identity, passwords, takeTry, isPasswordOn, code }: SetupPorts) {
  /** Reports whether the local owner still has no password, so that the setup code in the console can set one. */
  const isSetupPending = (): boolean => isPasswordOn && identity.findLocalOwner()?.hasPassword === false;

  const notPending = () =>
    new AppError('not_found', 'This server is set up already. Sign in with your e-mail and password.');

  return {
    isSetupPending,

    /**
     * Returns the setup link that is printed to the console; undefined when setup is done or passwords are disabled.
     */
    setupLink: (origin: string): string | undefined => (isSetupPending() ? `${origin}/setup#${code.text}` : undefined),

    async prepareSetup(
      body: BodyOf<typeof signInApi.setUp>,
      { userAgent }: { userAgent: string | undefined },
    ): Promise<() => IssuedSession> {
      const { code: sentCode, email, displayName, password, ...rest } = body;
      nothingLeft(rest);
      if (!isSetupPending()) throw notPending();
      takeTry(email);
      if (!code.matches(sentCode))
        throw new AppError(
          'invalid_credentials',
          'This is not the setup code of this server. It prints a fresh one at each start; use the last.',
        );
      requireStrongPassword(password, email);
      const passwordHash = await passwords.hash(password);
      return () => {
        if (!isSetupPending()) throw notPending();
        const subject = identity.setUpOwner({ email, displayName, passwordHash });
        return identity.open(subject, { userAgent, madeBy: 'setup' });
      };
    },
  };
}
