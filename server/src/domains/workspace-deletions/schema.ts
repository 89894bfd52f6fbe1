import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { exactJson } from '#server/kernel/schema';
import type { WorkspaceDeletion } from '#shared/workspace-deletions/contract';

/** Tombstones of deleted Workspaces. The audit trail names Workspaces by id only, and this table keeps their names. */
export const workspaceDeletions = sqliteTable('workspace_deletions', {
  /** Id of the Workspace. */
  workspaceId: text('workspace_id').primaryKey(),
  handle: text().notNull(),
  displayName: text('display_name').notNull(),
  deletedBy: text('deleted_by').notNull(),
  deletedAt: integer('deleted_at').notNull(),
  leftCapsules: exactJson('left_capsules').$type<WorkspaceDeletion['leftCapsules']>().notNull(),
  /** Null until the last row and file were removed. */
  completedAt: integer('completed_at'),
});
