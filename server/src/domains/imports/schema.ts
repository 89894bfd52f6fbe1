import { sql } from 'drizzle-orm';
import { blob, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { capsules } from '#server/domains/capsules/schema';
import { workspaces } from '#server/domains/workspaces/schema';
import { exactJson } from '#server/kernel/schema';
import type { ImportedState } from '#shared/imports/contract';

/** Uploaded states. The row of one that no Capsule has is deleted after some days. */
export const imports = sqliteTable(
  'imports',
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    workspaceId: text('workspace_id')
      .notNull()
      .references(() => workspaces.id),
    /** Digest of the state in cleartext. */
    digest: text().notNull(),
    summary: exactJson().$type<ImportedState>().notNull(),
    /** Sealed and compressed; null when a StateVersion of the Capsule holds it. */
    state: blob({ mode: 'buffer' }),
    capsuleId: text('capsule_id').references(() => capsules.id),
    /** Newest restore Run. */
    runId: text('run_id'),
    createdBy: text('created_by').notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    index('imports_workspace').on(table.workspaceId, table.seq),
    index('imports_digest').on(table.workspaceId, table.digest),
    index('imports_run').on(table.runId),
    index('imports_untouched').on(table.updatedAt).where(sql`capsule_id IS NULL`),
  ],
);
