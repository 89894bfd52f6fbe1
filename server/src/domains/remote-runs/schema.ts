import { blob, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { runs } from '#server/domains/runs/schema';

/** Jobs that a runner machine holds: one row for the newest attempt of each. */
export const remoteJobs = sqliteTable(
  'remote_jobs',
  {
    /** Id of the Run; for a lifecycle action followed by a dot and its place in the list. */
    id: text().primaryKey(),
    runId: text('run_id')
      .notNull()
      .references(() => runs.id),
    workspaceId: text('workspace_id').notNull(),
    /** Refers to the machines of a pool. */
    machineId: text('machine_id').notNull(),
    /** Names the attempt. Nothing of a machine counts without it. */
    ticket: text().notNull(),
    /** Key that only this server and the machine know, sealed. */
    runKey: blob('run_key', { mode: 'buffer' }).notNull(),
    claimedAt: integer('claimed_at').notNull(),
    /** Time from which the job is never given to another machine. */
    permittedAt: integer('permitted_at'),
    /** Time at which the apply was ended without its machine, which may still bring a state. The ticket is void since. */
    voidedAt: integer('voided_at'),
  },
  (table) => [index('remote_jobs_machine').on(table.machineId, table.id), index('remote_jobs_run').on(table.runId)],
);

/** Keys of this installation at NATS, sealed: one row, made when the first is needed. */
export const natsAuthority = sqliteTable('nats_authority', {
  id: integer().primaryKey(),
  sealed: blob({ mode: 'buffer' }).notNull(),
});
