import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { accounts } from '#server/domains/identity/schema';
import { exactJson } from '#server/kernel/schema';
import {
  backupEvents,
  mailLanguages,
  type NotificationPreferences,
  personalEvents,
} from '#shared/notifications/contract';

/** Events and Workspaces that each person is notified of. A person without a row has the defaults. */
export const notificationPreferences = sqliteTable('notification_preferences', {
  accountId: text('account_id')
    .primaryKey()
    .references(() => accounts.id),
  browser: exactJson().$type<NotificationPreferences['browser']>().notNull(),
  mail: exactJson().$type<NotificationPreferences['mail']>().notNull(),
  mutedWorkspaceIds: exactJson('muted_workspace_ids').$type<string[]>().notNull(),
  language: text({ enum: mailLanguages }).notNull(),
  updatedAt: integer('updated_at').notNull(),
});

/** Mail that has not been sent. Its text is written when it is sent, so no link or name is stored here. */
export const waitingMails = sqliteTable(
  'waiting_mails',
  {
    id: text().primaryKey(),
    kind: text({ enum: [...personalEvents, ...backupEvents, 'password_reset'] }).notNull(),
    /** The recipient; absent for a requested reset, because the request does not look the account up. */
    accountId: text('account_id'),
    /** The e-mail for which a reset was requested. */
    email: text(),
    runId: text('run_id'),
    /** Workspace of the event. */
    workspaceId: text('workspace_id'),
    createdAt: integer('created_at').notNull(),
    dueAt: integer('due_at').notNull(),
    attempts: integer().notNull().default(0),
  },
  (table) => [
    index('waiting_mails_due').on(table.dueAt),
    index('waiting_mails_account').on(table.accountId),
    index('waiting_mails_email').on(table.email),
  ],
);
