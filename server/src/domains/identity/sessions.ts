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

export type Sessions = ReturnType<typeof createSessions>;

type Deps = {
  db: Db;
  clock: Clock;
  store: IdentityStore;
  activity: Pick<ActivityService, 'record'>;
  /** Ends what was opened with an authority that is gone. */
  endDenied: () => void;
};

export function createSessions({ db, clock, store, activity, endDenied }: Deps) {
  /** When a session was seen last moves at most once a minute, and never fails the request that shows it. */
  function touch({ id, lastSeenAt, createdAt }: SessionRow): void {
    const now = clock.now();
    if (Math.abs(now - (lastSeenAt ?? createdAt)) < seenMs) return;
    try {
      store.touchSession(id, now);
    } catch {
      // A ledger that takes no writes for now still tells who is signed in.
    }
  }

  const findLive = (token: string | undefined): SessionRow | undefined =>
    token === undefined ? undefined : store.findLiveSession(tokenHashOf(token), clock.now());

  /** Ends sessions and, once that is committed, what they had open. 503 `session_revocation_unavailable` when it cannot be written. */
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

    /** Whether a session may set a password without the one before: a sign-in link has just proved who it is. */
    isFreshFromLink(sessionId: string): boolean {
      const row = store.findSessionById(sessionId);
      return row?.madeBy === 'link' && clock.now() - row.createdAt < passwordLimits.linkMinutes * 60_000;
    },

    endSession: (sessionId: string, subject: string): void =>
      end(subject, 'account.signed_out', () => store.revokeSession(sessionId, subject, clock.now())),

    /** 404 for a session that is unknown, over or somebody else's. */
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
      'The session cannot be ended at the moment, because the disk takes no writes. Try again later.',
    );
  }
}

const sessionOf = (row: SessionRow, account: AccountRow): Session => ({
  ...signedInOf(row),
  ...(account.displayName !== null && { displayName: account.displayName }),
  ...(account.email !== null && { email: account.email }),
  primaryAccountId: row.subject,
});
