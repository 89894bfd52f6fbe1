import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { capsules } from '#server/domains/capsules/schema';

const updateSteps = ['wanted', 'planned', 'applying', 'done'] as const;

/** One row per snapshot to which a Capsule was to be updated automatically, so that none is tried twice. */
export const autoUpdates = sqliteTable(
  'auto_updates',
  {
    capsuleId: text('capsule_id')
      .notNull()
      .references(() => capsules.id),
    snapshotId: text('snapshot_id').notNull(),
    step: text({ enum: updateSteps }).notNull(),
    /** The Run that the step waits for: the plan, then the apply. */
    runId: text('run_id'),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.capsuleId, table.snapshotId] }),
    index('auto_updates_open').on(table.createdAt).where(sql`step <> 'done'`),
  ],
);
