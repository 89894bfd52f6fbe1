import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { capsules } from '#server/domains/capsules/schema';
import { driftStatuses } from '#shared/drift/mark';

/** Result of the newest drift check of each Capsule that was ever checked. */
export const driftMarks = sqliteTable(
  'drift_marks',
  {
    capsuleId: text('capsule_id')
      .primaryKey()
      .references(() => capsules.id),
    workspaceId: text('workspace_id').notNull(),
    status: text({ enum: driftStatuses }).notNull(),
    runId: text('run_id').notNull(),
    checkedAt: integer('checked_at').notNull(),
    changed: integer().notNull(),
    deleted: integer().notNull(),
    /** Keyed digest of the drift; absent without one. */
    digest: text(),
    /** The drift that a person accepted. It stays through a failed check, and goes with another drift. */
    acknowledgedDigest: text('acknowledged_digest'),
    acknowledgedBy: text('acknowledged_by'),
    acknowledgedAt: integer('acknowledged_at'),
    reason: text(),
  },
  (table) => [
    index('drift_marks_open').on(table.workspaceId, table.checkedAt, table.capsuleId).where(sql`status <> 'none'`),
  ],
);

/** One row per Capsule that is checked on a schedule, with the time of its next check. */
export const driftSchedules = sqliteTable(
  'drift_schedules',
  {
    capsuleId: text('capsule_id')
      .primaryKey()
      .references(() => capsules.id),
    periodMs: integer('period_ms').notNull(),
    dueAt: integer('due_at').notNull(),
    /** True after a check could not start: its failed Run exists, and further attempts create none. */
    isRefused: integer('is_refused', { mode: 'boolean' }).notNull(),
  },
  (table) => [index('drift_schedules_due').on(table.dueAt)],
);
