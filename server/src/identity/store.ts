import { and, asc, eq, gt, isNull, sql } from 'drizzle-orm';
import type { Db } from '#server/kernel/db';
import { accounts, sessions, signInLinks } from './schema.ts';

export type AccountRow = typeof accounts.$inferSelect;
export type SessionRow = typeof sessions.$inferSelect;
export type IdentityStore = ReturnType<typeof createIdentityStore>;

export function createIdentityStore(db: Db) {
  const live = db.orm
    .select()
    .from(sessions)
    .where(
      and(
        eq(sessions.tokenHash, sql.placeholder('tokenHash')),
        gt(sessions.expiresAt, sql.placeholder('now')),
        isNull(sessions.revokedAt),
      ),
    )
    .prepare();
  return {
    findAccount: (id: string): AccountRow | undefined =>
      db.orm.select().from(accounts).where(eq(accounts.id, id)).get(),
    /** The account made at first start. */
    findFirstAccount: (): AccountRow | undefined =>
      db.orm.select().from(accounts).orderBy(asc(accounts.createdAt), asc(accounts.id)).limit(1).get(),
    insertAccount: (row: typeof accounts.$inferInsert): void => void db.orm.insert(accounts).values(row).run(),
    findLiveSession: (tokenHash: string, now: number): SessionRow | undefined => live.get({ tokenHash, now }),
    insertSession: (row: typeof sessions.$inferInsert): void => void db.orm.insert(sessions).values(row).run(),
    revokeSession: (id: string, at: number): boolean =>
      db.orm
        .update(sessions)
        .set({ revokedAt: at })
        .where(and(eq(sessions.id, id), isNull(sessions.revokedAt)))
        .run().changes === 1,
    insertLink: (row: typeof signInLinks.$inferInsert): void => void db.orm.insert(signInLinks).values(row).run(),
    /** Spends a link; the subject it was made for, or undefined when it is unknown, spent or too old. */
    spendLink(tokenHash: string, now: number): string | undefined {
      const open = and(
        eq(signInLinks.tokenHash, tokenHash),
        gt(signInLinks.expiresAt, now),
        isNull(signInLinks.usedAt),
      );
      return db.orm
        .update(signInLinks)
        .set({ usedAt: now })
        .where(open)
        .returning({ subject: signInLinks.subject })
        .get()?.subject;
    },
  };
}
