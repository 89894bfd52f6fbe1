import type { ActivityService } from '#server/domains/activity/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { AppError } from '#server/kernel/errors';
import type { identityApi } from '#shared/identity/api';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import { createAccounts } from './accounts.ts';
import { createLinks } from './links.ts';
import { type Passwords, requireStrongPassword } from './passwords.ts';
import { createSessions } from './sessions.ts';
import { createSignIns } from './sign-ins.ts';
import { createIdentityStore } from './store.ts';

export type IdentityService = ReturnType<typeof createIdentityService>;

type Deps = {
  db: Db;
  clock: Clock;
  activity: Pick<ActivityService, 'record'>;
  passwords: Passwords;
  /** Counts one attempt for an e-mail. Throws 429 `rate_limited`. */
  takeTry: (email: string) => void;
  endDenied: () => void;
};

export function createIdentityService(deps: Deps) {
  const store = createIdentityStore(deps.db);
  const accounts = createAccounts({ ...deps, store });
  const everywhere: ((subject: string) => void)[] = [];
  const signOutEverywhere = (subject: string): void => {
    for (const work of everywhere) work(subject);
  };
  const sessions = createSessions({ ...deps, store });
  return {
    ...accounts,
    ...createSignIns({ ...deps, store, confirmEmail: accounts.confirmEmail }),
    ...createLinks({ ...deps, store }),
    ...sessions,

    /** Ends the sessions of every account, and every sign-in link. Each returns their number. */
    endEverySession: (): number => store.revokeEverySession(deps.clock.now()),
    endEveryLink: (): number => store.spendEveryLink(deps.clock.now()),

    /** Registers work that runs inside the transaction in which an account signs out everywhere or sets a new password. */
    onSignedOutEverywhere: (work: (subject: string) => void): void => void everywhere.push(work),

    endAllSessions: (subject: string): void =>
      deps.db.write(() => {
        sessions.endAllSessions(subject);
        signOutEverywhere(subject);
      }),

    /** Computes a change of password. Returns the write that stores it and signs the account out elsewhere. */
    async preparePassword(
      { subject, sessionId }: { subject: string; sessionId: string },
      { currentPassword, newPassword, ...rest }: BodyOf<typeof identityApi.changePassword>,
    ): Promise<() => void> {
      nothingLeft(rest);
      // An account without an e-mail has a rate limit of its own.
      const email = accounts.findAccount(subject)?.email ?? null;
      deps.takeTry(email ?? subject);
      const was = accounts.findPasswordHash(subject);
      const isKnown =
        currentPassword === undefined
          ? sessions.isFreshFromLink(sessionId)
          : await deps.passwords.verify(was, currentPassword);
      if (!isKnown) throw new AppError('invalid_credentials', 'This is not your current password. Type it again.');
      requireStrongPassword(newPassword, email);
      const now = await deps.passwords.hash(newPassword);
      return () => {
        accounts.replacePassword(subject, { was, now });
        sessions.endOtherSessions(subject, sessionId);
        signOutEverywhere(subject);
      };
    },
  };
}
