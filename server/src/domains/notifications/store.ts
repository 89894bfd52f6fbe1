import { and, asc, count, eq, inArray, isNull, lte, sql } from 'drizzle-orm';
import { accounts } from '#server/domains/identity/schema';
import { members } from '#server/domains/workspaces/schema';
import type { Db } from '#server/kernel/db';
import type { NotificationPreferences } from '#shared/notifications/contract';
import { notificationPreferences, waitingMails } from './schema.ts';
import { waitingRows } from './waiting-store.ts';

export type MailRow = typeof waitingMails.$inferSelect;
export type NotificationsStore = ReturnType<typeof createNotificationsStore>;

export const createNotificationsStore = (db: Db) => ({
  ...waitingRows(db),
  findPreferences(accountId: string): NotificationPreferences | undefined {
    const row = db.orm
      .select()
      .from(notificationPreferences)
      .where(eq(notificationPreferences.accountId, accountId))
      .get();
    if (!row) return undefined;
    const { accountId: _account, updatedAt: _updated, ...preferences } = row;
    return preferences;
  },
  savePreferences(accountId: string, preferences: NotificationPreferences, updatedAt: number): void {
    db.orm
      .insert(notificationPreferences)
      .values({ accountId, ...preferences, updatedAt })
      .onConflictDoUpdate({ target: notificationPreferences.accountId, set: { ...preferences, updatedAt } })
      .run();
  },
  /** Lists the accounts that are active owners and admins of a Workspace. */
  listDeciders: (workspaceId: string): string[] =>
    db.orm
      .select({ accountId: members.accountId })
      .from(members)
      .where(
        and(
          eq(members.workspaceId, workspaceId),
          eq(members.status, 'active'),
          inArray(members.role, ['owner', 'admin']),
        ),
      )
      .all()
      .map(({ accountId }) => accountId),
  /** Returns the e-mail and the name of an account that may sign in. */
  findPerson: (accountId: string) =>
    db.orm
      .select({ email: accounts.email, displayName: accounts.displayName })
      .from(accounts)
      .where(and(eq(accounts.id, accountId), isNull(accounts.disabledAt), isNull(accounts.reservedAt)))
      .get(),

  insertMail: (row: Omit<MailRow, 'attempts'>): void => void db.orm.insert(waitingMails).values(row).run(),
  countMailsOf: (accountId: string): number =>
    db.orm.select({ n: count() }).from(waitingMails).where(eq(waitingMails.accountId, accountId)).get()?.n ?? 0,
  hasResetOf: (email: string): boolean =>
    db.orm.select({ one: sql`1` }).from(waitingMails).where(eq(waitingMails.email, email)).limit(1).get() !== undefined,
  findDueMail: (now: number): MailRow | undefined =>
    db.orm
      .select()
      .from(waitingMails)
      .where(lte(waitingMails.dueAt, now))
      .orderBy(asc(waitingMails.dueAt))
      .limit(1)
      .get(),
  findNextDue: (): number | undefined =>
    db.orm.select({ dueAt: waitingMails.dueAt }).from(waitingMails).orderBy(asc(waitingMails.dueAt)).limit(1).get()
      ?.dueAt,
  retryMail: (id: string, next: Pick<MailRow, 'dueAt' | 'attempts'>): void =>
    void db.orm.update(waitingMails).set(next).where(eq(waitingMails.id, id)).run(),
  deleteEveryMail: (): number => db.orm.delete(waitingMails).run().changes,
  deleteMailsOf: (runId: string, kind: MailRow['kind']): void =>
    void db.orm
      .delete(waitingMails)
      .where(and(eq(waitingMails.runId, runId), eq(waitingMails.kind, kind)))
      .run(),
  deleteMail: (id: string): void => void db.orm.delete(waitingMails).where(eq(waitingMails.id, id)).run(),
});
