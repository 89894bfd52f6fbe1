import {
  type IdentityService,
  type IssuedSession,
  type Passwords,
  requireStrongPassword,
} from '#server/domains/identity/index';
import { AppError } from '#server/kernel/errors';
import type { SetupCode } from './setup.ts';

type Setup = { userAgent: string | undefined; code: string; email: string; displayName: string; password: string };

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

    async prepareSetup({ userAgent, ...input }: Setup): Promise<() => IssuedSession> {
      if (!isSetupPending()) throw notPending();
      takeTry(input.email);
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
  };
}
