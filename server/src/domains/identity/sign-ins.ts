import { randomBytes } from 'node:crypto';
import type { ActivityService } from '#server/domains/activity/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { sha256Hex } from '#server/kernel/digest';
import { AppError, notFound } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import type { ActivityAction } from '#shared/activity/actions';
import type { SignedIn } from '#shared/identity/api';
import { tokenPrefixes } from '#shared/vendor';
import type { AccountRow, IdentityStore, SessionRow } from './store.ts';

const sessionMs = 30 * 24 * 3_600_000;
/** Retention of ended sessions. */
const retentionMs = 30 * 24 * 3_600_000;

export type IssuedSession = { token: string; session: SignedIn; maxAgeSeconds: number };
type SignInMethod = NonNullable<SessionRow['madeBy']>;

type Deps = {
  db: Db;
  clock: Clock;
  store: IdentityStore;
  activity: Pick<ActivityService, 'record'>;
  confirmEmail: (subject: string, email: string) => void;
};

/** 32 random bytes as 43 base64url characters behind the prefix of their kind. */
export const newToken = (prefix: string): string => prefix + randomBytes(32).toString('base64url');
/** Stored form of a token: its hash. */
export const tokenHashOf = (token: string): string => sha256Hex(token);

/** Returns the lookup of an account that can sign in; without a subject, of the local owner. Throws 404. */
export const accountGetter =
  (store: Pick<IdentityStore, 'findFirstAccount' | 'findAccount'>) =>
  (subject: string | undefined): AccountRow => {
    const account = subject === undefined ? store.findFirstAccount() : store.findAccount(subject);
    if (!account || account.reservedAt !== null) throw notFound('account');
    return account;
  };

/** Creation of sessions. */
export function createSignIns({ db, clock, store, activity, confirmEmail }: Deps) {
  const requireAccount = accountGetter(store);

  function issue(
    account: AccountRow,
    by: { actorId: string; userAgent: string | undefined; action: ActivityAction; madeBy: SignInMethod },
  ): IssuedSession {
    const token = newToken(tokenPrefixes.session);
    const createdAt = clock.now();
    const row: SessionRow = {
      id: newId('session'),
      tokenHash: tokenHashOf(token),
      subject: account.id,
      userAgent: by.userAgent?.slice(0, 256) ?? null,
      createdAt,
      expiresAt: createdAt + sessionMs,
      revokedAt: null,
      lastSeenAt: createdAt,
      madeBy: by.madeBy,
    };
    store.dropEnded(account.id, createdAt - retentionMs);
    store.insertSession(row);
    const metadata = { madeBy: by.madeBy };
    activity.record({ actorId: by.actorId, action: by.action, targetType: 'account', targetId: account.id, metadata });
    return { token, session: signedInOf(row), maxAgeSeconds: sessionMs / 1_000 };
  }

  return {
    issueByOperator: (subject: string | undefined, userAgent: string | undefined): IssuedSession =>
      db.write(() =>
        issue(requireAccount(subject), {
          actorId: 'operator',
          userAgent,
          action: 'account_session.issued',
          madeBy: 'operator',
        }),
      ),

    /** Creates a session for a person who has just authenticated as this account; in the caller's transaction. */
    open: (subject: string, by: { userAgent: string | undefined; madeBy: SignInMethod }): IssuedSession =>
      issue(requireAccount(subject), { ...by, actorId: subject, action: 'account.signed_in' }),

    signInByLink(token: string, userAgent: string | undefined): IssuedSession {
      return db.write(() => {
        const link = store.spendLink(tokenHashOf(token), clock.now());
        if (link === undefined) {
          throw new AppError(
            'invalid_credentials',
            'This sign-in link was already used or is older than five minutes. Request a new one.',
          );
        }
        const { subject, mailedTo } = link;
        if (mailedTo !== null) confirmEmail(subject, mailedTo);
        return issue(requireAccount(subject), {
          actorId: subject,
          userAgent,
          action: 'account.signed_in',
          madeBy: 'link',
        });
      });
    },
  };
}

export const signedInOf = (row: SessionRow): SignedIn => ({
  subject: row.subject,
  createdAt: isoTime(row.createdAt),
  expiresAt: isoTime(row.expiresAt),
});
