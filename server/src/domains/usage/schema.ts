import { sql } from 'drizzle-orm';
import { index, integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { runs } from '#server/domains/runs/schema';
import { workspaces } from '#server/domains/workspaces/schema';

/** Recorded usage, one row per idempotency key. */
export const usageEvents = sqliteTable(
  'usage_events',
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    workspaceId: text('workspace_id')
      .notNull()
      .references(() => workspaces.id),
    capsuleId: text('capsule_id'),
    runId: text('run_id').references(() => runs.id),
    kind: text().notNull(),
    quantity: real().notNull(),
    usdMicros: integer('usd_micros').notNull(),
    ratingStatus: text('rating_status', { enum: ['rated', 'unrated'] }).notNull(),
    source: text().notNull(),
    idempotencyKey: text('idempotency_key').notNull().unique(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    index('usage_events_workspace').on(table.workspaceId, table.seq),
    // A deleted Run is looked for here.
    index('usage_events_run').on(table.runId),
    // Includes the columns of a sum, so that it reads no rows.
    index('usage_events_capsule')
      .on(table.capsuleId, table.ratingStatus, table.usdMicros)
      .where(sql`capsule_id IS NOT NULL`),
  ],
);
