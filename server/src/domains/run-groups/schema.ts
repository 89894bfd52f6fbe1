import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { workspaces } from '#server/domains/workspaces/schema';
import { exactJson } from '#server/kernel/schema';
import { runGroupTypes } from '#shared/run-groups/contract';

/** Runs that were requested together. The status of a group is derived from its members, so it is not stored. */
export const runGroups = sqliteTable(
  'run_groups',
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    workspaceId: text('workspace_id')
      .notNull()
      .references(() => workspaces.id),
    type: text({ enum: runGroupTypes }).notNull(),
    createdBy: text('created_by').notNull(),
    /** Capsules by layer, producers first. */
    layers: exactJson().$type<string[][]>().notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [index('run_groups_workspace').on(table.workspaceId, table.seq)],
);
