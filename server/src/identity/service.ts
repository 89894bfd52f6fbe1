import { createHash, randomBytes } from 'node:crypto';
import type { ActivityService } from '#server/activity/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { AppError, notFound } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import type { ActivityAction } from '#shared/activity/actions';
import type { Session } from '#shared/identity/api';
import { tokenPrefixes } from '#shared/vendor';
import { type AccountRow, createIdentityStore, type SessionRow } from './store.ts';

const sessionMs = 30 * 24 * 3_600_000;
const linkMs = 5 * 60_000;

export type IdentityService = ReturnType<typeof createIdentityService>;
export type IssuedSession = { token: string; session: Session; maxAgeSeconds: number };

type Deps = { db: Db; clock: Clock; activity: Pick<ActivityService, 'record'> };

/** 32 random bytes as 43 base64url characters behind the prefix of their kind. */
export const newToken = (prefix: string): string => prefix + randomBytes(32).toString('base64url');
const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

export function createIdentityService({ db, clock, activity }: Deps) {
  const store = createIdentityStore(db);

  function requireAccount(subject: string | undefined): AccountRow {
    const account = subject === undefined ? store.findFirstAccount() : store.findAccount(subject);
    if (!account) throw notFound('account');
    return account;
  }

  function issue(
    account: AccountRow,
    by: { actorId: string; userAgent: string | undefined; action: ActivityAction },
  ): IssuedSession {
    const token = newToken(tokenPrefixes.session);
    const createdAt = clock.now();
    const row: SessionRow = {
      id: newId('session'),
      tokenHash: hashOf(token),
      subject: account.id,
      userAgent: by.userAgent?.slice(0, 256) ?? null,
      createdAt,
      expiresAt: createdAt + sessionMs,
      revokedAt: null,
    };
    store.insertSession(row);
    activity.record({ actorId: by.actorId, action: by.action, targetType: 'account', targetId: account.id });
    return { token, session: sessionOf(row, account), maxAgeSeconds: sessionMs / 1_000 };
  }

  return {
    /** The one account of a fresh installation; made at its first start. `made` says that this was it. */
    ensureLocalOwner(): { subject: string; made: boolean } {
      return db.write(() => {
        const account = store.findFirstAccount();
        if (account) return { subject: account.id, made: false };
        const id = newId('account');
        store.insertAccount({ id, displayName: 'Local owner', createdAt: clock.now() });
        activity.record({ action: 'account.created', targetType: 'account', targetId: id });
        return { subject: id, made: true };
      });
    },

    hasAccount: (subject: string): boolean => store.findAccount(subject) !== undefined,

    /** The account that the first start made: the installation itself is its. */
    isLocalOwner: (subject: string): boolean => store.findFirstAccount()?.id === subject,

    findSession(token: string): { subject: string; sessionId: string } | undefined {
      const row = store.findLiveSession(hashOf(token), clock.now());
      return row && { subject: row.subject, sessionId: row.id };
    },

    findSessionRecord(token: string | undefined): Session | undefined {
      const row = token === undefined ? undefined : store.findLiveSession(hashOf(token), clock.now());
      const account = row && store.findAccount(row.subject);
      return row && account && sessionOf(row, account);
    },

    issueByOperator: (subject: string | undefined, userAgent: string | undefined): IssuedSession =>
      db.write(() =>
        issue(requireAccount(subject), { actorId: 'operator', userAgent, action: 'account_session.issued' }),
      ),

    /** A one-time link: single use, five minutes, stored as a hash. */
    createLink(subject: string | undefined, origin: string): { url: string; expiresAt: string } {
      return db.write(() => {
        const account = requireAccount(subject);
        const token = randomBytes(32).toString('base64url');
        const createdAt = clock.now();
        store.insertLink({ tokenHash: hashOf(token), subject: account.id, createdAt, expiresAt: createdAt + linkMs });
        activity.record({
          actorId: 'operator',
          action: 'account.link_created',
          targetType: 'account',
          targetId: account.id,
        });
        return { url: `${origin}/sign-in#${token}`, expiresAt: isoTime(createdAt + linkMs) };
      });
    },

    signInByLink(token: string, userAgent: string | undefined): IssuedSession {
      return db.write(() => {
        const subject = store.spendLink(hashOf(token), clock.now());
        if (subject === undefined) {
          throw new AppError(
            'invalid_credentials',
            'This sign-in link was used already or is older than five minutes. Ask for a new one.',
          );
        }
        return issue(requireAccount(subject), { actorId: subject, userAgent, action: 'account.signed_in' });
      });
    },

    endSession(sessionId: string, subject: string): void {
      db.write(() => {
        if (!store.revokeSession(sessionId, clock.now())) return;
        activity.record({ actorId: subject, action: 'account.signed_out', targetType: 'account', targetId: subject });
      });
    },
  };
}

const sessionOf = (row: SessionRow, account: AccountRow): Session => ({
  subject: row.subject,
  createdAt: isoTime(row.createdAt),
  expiresAt: isoTime(row.expiresAt),
  ...(account.displayName !== null && { displayName: account.displayName }),
  ...(account.email !== null && { email: account.email }),
  primaryAccountId: row.subject,
});
