import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { workspaces } from '#server/domains/workspaces/schema';
import { exactJson } from '#server/kernel/schema';
import type { CopyReview } from '#shared/copies/contract';
import { copyRevisionStatuses } from '#shared/copies/machine';

/** Installable copies. The repository of each is a folder of the data folder that is named by its id. */
export const copies = sqliteTable(
  'copies',
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    workspaceId: text('workspace_id')
      .notNull()
      .references(() => workspaces.id),
    name: text().notNull(),
    /** The repository that the copy is made of, and the folder in it that is the root of the copy. */
    upstreamUrl: text('upstream_url').notNull(),
    upstreamRef: text('upstream_ref').notNull(),
    upstreamPath: text('upstream_path').notNull(),
    authConnectionId: text('auth_connection_id'),
    /** The one module that is copied; null for all. */
    modulePath: text('module_path'),
    /** Source that reads the copy; null until its first revision has succeeded. */
    sourceId: text('source_id'),
    /** The newest revision that succeeded. */
    currentRevisionId: text('current_revision_id'),
    createdBy: text('created_by').notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    index('copies_workspace').on(table.workspaceId, table.seq),
    index('copies_upstream').on(table.workspaceId, table.upstreamUrl),
    uniqueIndex('copies_source').on(table.sourceId),
  ],
);

export const copyRevisions = sqliteTable(
  'copy_revisions',
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    copyId: text('copy_id')
      .notNull()
      .references(() => copies.id),
    workspaceId: text('workspace_id').notNull(),
    status: text({ enum: copyRevisionStatuses }).notNull(),
    /** Commit of the upstream repository; null until an update has resolved its ref. */
    upstreamCommit: text('upstream_commit'),
    /** Commit in the copy; null until the review. */
    commit: text(),
    review: exactJson().$type<CopyReview>(),
    error: exactJson().$type<{ code: string; message: string }>(),
    approvedBy: text('approved_by'),
    approvedAt: integer('approved_at'),
    createdBy: text('created_by').notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    index('copy_revisions_copy').on(table.copyId, table.seq),
    index('copy_revisions_work').on(table.seq).where(sql`status IN ('preparing', 'making')`),
    // A copy has one open revision at most.
    uniqueIndex('copy_revisions_open')
      .on(table.copyId)
      .where(sql`status IN ('preparing', 'waiting_approval', 'making')`),
  ],
);
