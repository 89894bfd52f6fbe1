import { blob, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { runs } from '#server/domains/runs/schema';
import { workspaces } from '#server/domains/workspaces/schema';

/** Stored archives. Each is the file `backups/<id>.age` of the data folder. */
export const backups = sqliteTable(
  'backups',
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    workspaceId: text('workspace_id')
      .notNull()
      .references(() => workspaces.id),
    /** Absent for a backup of the whole Workspace. */
    capsuleId: text('capsule_id'),
    environment: text(),
    digest: text().notNull(),
    sizeBytes: integer('size_bytes').notNull(),
    createdByRunId: text('created_by_run_id')
      .notNull()
      .unique()
      .references(() => runs.id),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [index('backups_workspace').on(table.workspaceId, table.seq)],
);

/** Key pair of a Workspace: its archives are encrypted for the recipient. */
export const backupKeys = sqliteTable('backup_keys', {
  workspaceId: text('workspace_id')
    .primaryKey()
    .references(() => workspaces.id),
  recipient: text().notNull(),
  /** Sealed with the data key of the Workspace: without that key its archives cannot be opened. */
  identity: blob({ mode: 'buffer' }).notNull(),
  createdAt: integer('created_at').notNull(),
});

/** Requests with an Idempotency-Key, so that a repeated one finds the Run of the first. */
export const backupRequests = sqliteTable('backup_requests', {
  keyDigest: text('key_digest').primaryKey(),
  runId: text('run_id')
    .notNull()
    .references(() => runs.id),
  createdAt: integer('created_at').notNull(),
});
