import { and, count, desc, eq, gt, isNull, lt, ne, or, sql } from 'drizzle-orm';
import type { Db } from '#server/kernel/db';
import { accounts, externalIdentities, sessions, signInLinks } from './schema.ts';

export type AccountRow = typeof accounts.$inferSelect;
export type SessionRow = typeof sessions.$inferSelect;
export type IdentityStore = ReturnType<typeof createIdentityStore>;

type ExternalIdentity = { issuer: string; externalSubject: string };

export const createIdentityStore = (db: Db) => ({ ...accountsStore(db), ...sessionsStore(db) });

const accountsStore = (db: Db) => ({
  findAccount: (id: string): AccountRow | undefined => db.orm.select().from(accounts).where(eq(accounts.id, id)).get(),
  findAccountByEmail: (email: string): AccountRow | undefined =>
    db.orm.select().from(accounts).where(eq(accounts.email, email)).get(),
  findAccountByIdentity({ issuer, externalSubject }: ExternalIdentity): AccountRow | undefined {
    const known = and(eq(externalIdentities.issuer, issuer), eq(externalIdentities.externalSubject, externalSubject));
    const row = db.orm
      .select({ account: accounts })
      .from(externalIdentities)
      .innerJoin(accounts, eq(accounts.id, externalIdentities.accountId))
      .where(known)
      .get();
    return row?.account;
  },
  countIdentities: (accountId: string): number =>
    db.orm.select({ n: count() }).from(externalIdentities).where(eq(externalIdentities.accountId, accountId)).get()
      ?.n ?? 0,
  insertIdentity: (row: typeof externalIdentities.$inferInsert): void =>
    void db.orm.insert(externalIdentities).values(row).run(),
  /** The account created at first start: the first row, because a clock that was set back makes a later one look older. */
  findFirstAccount: (): AccountRow | undefined => db.orm.select().from(accounts).orderBy(sql`rowid`).limit(1).get(),
  insertAccount: (row: typeof accounts.$inferInsert): void => void db.orm.insert(accounts).values(row).run(),
  updateAccount: (id: string, values: Partial<Omit<AccountRow, 'id'>>): void =>
    void db.orm.update(accounts).set(values).where(eq(accounts.id, id)).run(),
  /** False when the password of the account was changed concurrently. */
  replacePassword: (id: string, was: string | null, now: string): boolean =>
    db.orm
      .update(accounts)
      .set({ passwordHash: now })
      .where(and(eq(accounts.id, id), was === null ? isNull(accounts.passwordHash) : eq(accounts.passwordHash, was)))
      .run().changes === 1,
});

function sessionsStore(db: Db) {
  const isOpen = and(gt(sessions.expiresAt, sql.placeholder('now')), isNull(sessions.revokedAt));
  const live = db.orm
    .select({ session: sessions })
    .from(sessions)
    .innerJoin(accounts, eq(accounts.id, sessions.subject))
    .where(and(eq(sessions.tokenHash, sql.placeholder('tokenHash')), isOpen, isNull(accounts.disabledAt)))
    .prepare();
  const end = (which: ReturnType<typeof and>, at: number): number =>
    db.orm
      .update(sessions)
      .set({ revokedAt: at })
      .where(and(which, isNull(sessions.revokedAt)))
      .run().changes;
  const isUsable = (tokenHash: string, now: number) =>
    and(eq(signInLinks.tokenHash, tokenHash), gt(signInLinks.expiresAt, now), isNull(signInLinks.usedAt));
  return {
    findLiveSession: (tokenHash: string, now: number): SessionRow | undefined => live.get({ tokenHash, now })?.session,
    findSessionById: (id: string): SessionRow | undefined =>
      db.orm.select().from(sessions).where(eq(sessions.id, id)).get(),
    /** Sessions that have not ended, the most recently seen first. */
    listSessions: (subject: string, now: number): SessionRow[] =>
      db.orm
        .select()
        .from(sessions)
        .where(and(eq(sessions.subject, subject), gt(sessions.expiresAt, now), isNull(sessions.revokedAt)))
        .orderBy(desc(sql`coalesce(${sessions.lastSeenAt}, ${sessions.createdAt})`), desc(sessions.id))
        .all(),
    insertSession: (row: typeof sessions.$inferInsert): void => void db.orm.insert(sessions).values(row).run(),
    /** Deletes sessions that ended before a time. */
    dropEnded: (subject: string, before: number): void =>
      void db.orm
        .delete(sessions)
        .where(and(eq(sessions.subject, subject), or(lt(sessions.expiresAt, before), lt(sessions.revokedAt, before))))
        .run(),
    touchSession: (id: string, at: number): void =>
      void db.orm.update(sessions).set({ lastSeenAt: at }).where(eq(sessions.id, id)).run(),
    revokeSession: (id: string, subject: string, at: number): boolean =>
      end(and(eq(sessions.id, id), eq(sessions.subject, subject), gt(sessions.expiresAt, at)), at) === 1,
    /** Ends the sessions of an account, except an optional one. Returns their number. */
    revokeSessions: (subject: string, at: number, except = ''): number =>
      end(and(eq(sessions.subject, subject), gt(sessions.expiresAt, at), ne(sessions.id, except)), at),
    /** Ends the sessions of every account. Returns their number. */
    revokeEverySession: (at: number): number => end(gt(sessions.expiresAt, at), at),
    insertLink: (row: typeof signInLinks.$inferInsert): void => void db.orm.insert(signInLinks).values(row).run(),
    /** Uses up a link. Returns its account and e-mail, or undefined when it is unknown, used or expired. */
    spendLink: (tokenHash: string, now: number): { subject: string; mailedTo: string | null } | undefined =>
      db.orm
        .update(signInLinks)
        .set({ usedAt: now })
        .where(isUsable(tokenHash, now))
        .returning({ subject: signInLinks.subject, mailedTo: signInLinks.mailedTo })
        .get(),
    /** Uses up every link. Returns their number. */
    spendEveryLink: (now: number): number =>
      db.orm
        .update(signInLinks)
        .set({ usedAt: now })
        .where(and(gt(signInLinks.expiresAt, now), isNull(signInLinks.usedAt)))
        .run().changes,
    isUsableLink: (tokenHash: string, now: number): boolean =>
      db.orm.select({ one: sql`1` }).from(signInLinks).where(isUsable(tokenHash, now)).get() !== undefined,
  };
}
