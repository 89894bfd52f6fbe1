import type { ActivityService } from '#server/domains/activity/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { isDiskFault } from '#server/kernel/disk';
import { AppError, notFound } from '#server/kernel/errors';
import type { ActivityAction } from '#shared/activity/actions';
import type { Session, SessionEntry } from '#shared/identity/api';
import { passwordLimits } from '#shared/limits';
import { signedInOf, tokenHashOf } from './sign-ins.ts';
import type { AccountRow, IdentityStore, SessionRow } from './store.ts';

const seenMs = 60_000;

type Deps = {
  db: Db;
  clock: Clock;
  store: IdentityStore;
  activity: Pick<ActivityService, 'record'>;
  /** Closes streams that were opened with a revoked session. */
  endDenied: () => void;
};

export function createSessions({ db, clock, store, activity, endDenied }: Deps) {
  /** Updates the last-seen time of a session at most once a minute; a failed update never fails the request. */
  function touch({ id, lastSeenAt, createdAt }: SessionRow): void {
    const now = clock.now();
    if (Math.abs(now - (lastSeenAt ?? createdAt)) < seenMs) return;
    try {
      store.touchSession(id, now);
    } catch {
      // A ledger that is read-only for now still answers who is signed in.
    }
  }

  const findLive = (token: string | undefined): SessionRow | undefined =>
    token === undefined ? undefined : store.findLiveSession(tokenHashOf(token), clock.now());

  /** Ends sessions and, once that is committed, closes their streams. 503 `session_revocation_unavailable` when it cannot be written. */
  function end(subject: string, action: ActivityAction, revoke: () => boolean): void {
    db.write(() => {
      if (!orRevocationUnavailable(revoke)) return;
      activity.record({ actorId: subject, action, targetType: 'account', targetId: subject });
      db.afterCommit(endDenied);
    });
  }

  return {
    findSession(token: string): { subject: string; sessionId: string } | undefined {
      const row = findLive(token);
      if (!row) return undefined;
      touch(row);
      return { subject: row.subject, sessionId: row.id };
    },

    /** Returns the session of a token, and when it began, in epoch milliseconds. */
    findSignIn(token: string): { subject: string; sessionId: string; signedInAt: number } | undefined {
      const row = findLive(token);
      return row && { subject: row.subject, sessionId: row.id, signedInAt: row.createdAt };
    },

    findSessionRecord(token: string | undefined): Session | undefined {
      const row = findLive(token);
      const account = row && store.findAccount(row.subject);
      return row && account && sessionOf(row, account);
    },

    listSessions: (subject: string, currentId: string): SessionEntry[] =>
      store.listSessions(subject, clock.now()).map((row) => ({
        id: row.id,
        createdAt: isoTime(row.createdAt),
        lastSeenAt: isoTime(row.lastSeenAt ?? row.createdAt),
        ...(row.userAgent !== null && { userAgent: row.userAgent }),
        current: row.id === currentId,
      })),

    /**
     * True when a session may set a password without the previous one: it was just created by a sign-in link, which proves the identity.
     */
    isFreshFromLink(sessionId: string): boolean {
      const row = store.findSessionById(sessionId);
      return row?.madeBy === 'link' && clock.now() - row.createdAt < passwordLimits.linkMinutes * 60_000;
    },

    endSession: (sessionId: string, subject: string): void =>
      end(subject, 'account.signed_out', () => store.revokeSession(sessionId, subject, clock.now())),

    /** 404 for a session that is unknown, ended or of another account. */
    endOneSession: (sessionId: string, subject: string): void =>
      end(subject, 'account.session_revoked', () => {
        if (!store.revokeSession(sessionId, subject, clock.now())) throw notFound('session');
        return true;
      }),

    endAllSessions: (subject: string): void =>
      end(subject, 'account.session_revoked', () => store.revokeSessions(subject, clock.now()) > 0),

    endOtherSessions: (subject: string, except: string): void =>
      end(subject, 'account.session_revoked', () => store.revokeSessions(subject, clock.now(), except) > 0),
  };
}

function orRevocationUnavailable(revoke: () => boolean): boolean {
  try {
    return revoke();
  } catch (error) {
    if (!isDiskFault(error)) throw error;
    throw new AppError(
      'session_revocation_unavailable',
      'The session cannot be ended now, because the disk is read-only or full. Try again later.',
    );
  }
}

const sessionOf = (row: SessionRow, account: AccountRow): Session => ({
  ...signedInOf(row),
  ...(account.displayName !== null && { displayName: account.displayName }),
  ...(account.email !== null && { email: account.email }),
  primaryAccountId: row.subject,
});
