import { blob, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { capsules } from '#server/domains/capsules/schema';
import { runs } from '#server/domains/runs/schema';
import { exactJson } from '#server/kernel/schema';
import type { LeftOutCapsule, StateDifference } from '#shared/restores/contract';

/** One row per restore Run: the origin of its states. */
export const restores = sqliteTable('restores', {
  runId: text('run_id')
    .primaryKey()
    .references(() => runs.id),
  workspaceId: text('workspace_id').notNull(),
  /** Absent for states from files. */
  backupId: text('backup_id'),
  backupCreatedAt: integer('backup_created_at'),
  /** Apply that was ended, and whose machine brought the state later. */
  lateRunId: text('late_run_id'),
  leftOut: exactJson('left_out').$type<LeftOutCapsule[]>().notNull(),
});

/** State of one Capsule that a restore Run commits, as it becomes current. */
export const restoreStates = sqliteTable(
  'restore_states',
  {
    id: text().primaryKey(),
    runId: text('run_id')
      .notNull()
      .references(() => restores.runId),
    workspaceId: text('workspace_id').notNull(),
    capsuleId: text('capsule_id')
      .notNull()
      .references(() => capsules.id),
    /** Generation of the Capsule when the restore was requested: the restore replaces exactly this state. */
    currentGeneration: integer('current_generation').notNull(),
    currentResourceCount: integer('current_resource_count').notNull(),
    sourceGeneration: integer('source_generation'),
    sourceStateVersionId: text('source_state_version_id'),
    sourceSnapshotId: text('source_snapshot_id'),
    resourceCount: integer('resource_count').notNull(),
    partial: integer({ mode: 'boolean' }).notNull(),
    /** Tool that the state belongs to after the restore. */
    toolName: text('tool_name', { enum: ['tofu', 'terraform'] }).notNull(),
    /** Tool that wrote the state, when it is another one. */
    convertedFrom: text('converted_from', { enum: ['tofu', 'terraform'] }),
    /** Outputs that were shown before; absent when that is not known. */
    shownOutputs: exactJson('shown_outputs').$type<string[]>(),
    differences: exactJson().$type<StateDifference>().notNull(),
    stateDigest: text('state_digest').notNull(),
    /** Sealed and compressed, with its new serial; deleted when the Run has ended. */
    state: blob({ mode: 'buffer' }),
    restoredStateVersionId: text('restored_state_version_id'),
  },
  (table) => [
    uniqueIndex('restore_states_run').on(table.runId, table.capsuleId),
    index('restore_states_capsule').on(table.capsuleId),
  ],
);
