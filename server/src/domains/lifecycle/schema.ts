import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { exactJson } from '#server/kernel/schema';
import { lifecycleResults } from '#shared/install-configs/lifecycle';

/** Digests and facts that show what an action was given and how it ended; none is a value. */
export type ActionEvidence = {
  outputsDigest?: string;
  /** Digest of the bindings to Connections. */
  bindingDigest?: string;
  /** Digest of the names that the Run gets from Connections. */
  environmentDigest?: string;
  providerConfigurationsDigest?: string;
  exitCode?: number;
  healthUrl?: string;
};

/**
 * One row per action of a Run, written before anything is started or sent. The rows of a Capsule outlive its Runs,
 * because the cleanup of an action depends on whether the action was ever run.
 */
export const lifecycleActions = sqliteTable(
  'lifecycle_actions',
  {
    runId: text('run_id').notNull(),
    /** Index in the list of the configuration. */
    position: integer().notNull(),
    workspaceId: text('workspace_id').notNull(),
    capsuleId: text('capsule_id').notNull(),
    actionId: text('action_id').notNull(),
    phase: text({ enum: ['post_apply', 'pre_destroy'] }).notNull(),
    executor: text({ enum: ['runner', 'operator'] }).notNull(),
    /**
     * True when the command may have started, or the request may have been sent. It is set once; afterwards the action is
     * never started or sent again.
     */
    invoked: integer({ mode: 'boolean' }).notNull(),
    /** Number of bytes already read from the journal of the action's supervisor. */
    journalOffset: integer('journal_offset').notNull().default(0),
    result: text({ enum: lifecycleResults }),
    /** False when the action may still have an effect that nothing reports, or when its end was lost. */
    isEndKnown: integer('is_end_known', { mode: 'boolean' }).notNull().default(true),
    evidence: exactJson().$type<ActionEvidence>().notNull(),
    startedAt: integer('started_at').notNull(),
    finishedAt: integer('finished_at'),
  },
  (table) => [
    primaryKey({ columns: [table.runId, table.position] }),
    index('lifecycle_actions_capsule').on(table.capsuleId, table.actionId),
  ],
);
