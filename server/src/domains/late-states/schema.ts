import { sql } from 'drizzle-orm';
import { blob, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { capsules } from '#server/domains/capsules/schema';
import { runs } from '#server/domains/runs/schema';

/** States that machines brought after their applies were ended. */
export const lateStates = sqliteTable(
  'late_states',
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    workspaceId: text('workspace_id').notNull(),
    capsuleId: text('capsule_id')
      .notNull()
      .references(() => capsules.id),
    /** The apply that was ended. */
    runId: text('run_id')
      .notNull()
      .references(() => runs.id),
    machineId: text('machine_id').notNull(),
    serial: integer().notNull(),
    resourceCount: integer('resource_count').notNull(),
    /** Digest of the state in cleartext. */
    stateDigest: text('state_digest').notNull(),
    /** Sealed and compressed; null when a person or time has decided. */
    state: blob({ mode: 'buffer' }),
    arrivedAt: integer('arrived_at').notNull(),
    /** Restore Run that adopts it, unless that ended without success. */
    restoreRunId: text('restore_run_id'),
    end: text({ enum: ['adopted', 'dismissed', 'expired'] }),
  },
  (table) => [
    index('late_states_capsule').on(table.capsuleId, table.seq),
    uniqueIndex('late_states_run').on(table.runId, table.stateDigest),
    index('late_states_restore').on(table.restoreRunId),
    index('late_states_undecided').on(table.arrivedAt).where(sql`"end" IS NULL`),
  ],
);
