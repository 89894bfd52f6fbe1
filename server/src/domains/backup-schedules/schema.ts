import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { workspaces } from '#server/domains/workspaces/schema';
import type { BackupTarget } from '#shared/backup-schedules/contract';

/** Daily backups, at most one schedule for a Workspace. */
export const backupSchedules = sqliteTable('backup_schedules', {
  workspaceId: text('workspace_id')
    .primaryKey()
    .references(() => workspaces.id),
  hour: integer().notNull(),
  keep: integer().notNull(),
  target: text({ mode: 'json' }).$type<BackupTarget>().notNull(),
  createdBy: text('created_by').notNull(),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
  dueAt: integer('due_at').notNull(),
  /** The newest failure since the last success. */
  failedAt: integer('failed_at'),
  failure: text(),
  /** Time at which the newest copy was noticed to be too old; null while it is not. */
  overdueAt: integer('overdue_at'),
});

/** Copies that schedules make: the one in progress, and those at the targets. No other file is ever deleted there. */
export const backupCopies = sqliteTable(
  'backup_copies',
  {
    id: text().primaryKey(),
    workspaceId: text('workspace_id')
      .notNull()
      .references(() => workspaces.id),
    target: text({ mode: 'json' }).$type<BackupTarget>().notNull(),
    status: text({ enum: ['creating', 'copying', 'stored'] }).notNull(),
    backupId: text('backup_id'),
    digest: text(),
    sizeBytes: integer('size_bytes'),
    /** Upload to continue after a crash. */
    uploadId: text('upload_id'),
    location: text(),
    attempts: integer().notNull(),
    startedAt: integer('started_at').notNull(),
    retryAt: integer('retry_at').notNull(),
    storedAt: integer('stored_at'),
  },
  (table) => [index('backup_copies_workspace').on(table.workspaceId, table.status)],
);
