import { blob, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { capsules } from '#server/domains/capsules/schema';
import { exactJson } from '#server/kernel/schema';
import type { JsonObject } from '#shared/kernel/json';

export const stateVersions = sqliteTable(
  'state_versions',
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    workspaceId: text('workspace_id').notNull(),
    capsuleId: text('capsule_id')
      .notNull()
      .references(() => capsules.id),
    environment: text().notNull(),
    generation: integer().notNull(),
    createdByRunId: text('created_by_run_id').notNull(),
    sourceSnapshotId: text('source_snapshot_id'),
    resourceCount: integer('resource_count').notNull(),
    /** True for the state of an apply that failed or was interrupted. */
    partial: integer({ mode: 'boolean' }).notNull(),
    lineage: text().notNull(),
    serial: integer().notNull(),
    toolName: text('tool_name', { enum: ['tofu', 'terraform'] }).notNull(),
    /** Digest of the state in cleartext. */
    stateDigest: text('state_digest').notNull(),
    /** Sealed; compressed before that, except in rows of earlier versions. */
    state: blob({ mode: 'buffer' }).notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('state_versions_generation').on(table.capsuleId, table.generation),
    uniqueIndex('state_versions_run').on(table.createdByRunId, table.capsuleId),
    index('state_versions_capsule').on(table.capsuleId, table.seq),
  ],
);

export const outputs = sqliteTable('outputs', {
  id: text().primaryKey(),
  workspaceId: text('workspace_id').notNull(),
  capsuleId: text('capsule_id').notNull(),
  stateVersionId: text('state_version_id')
    .notNull()
    .unique()
    .references(() => stateVersions.id),
  stateGeneration: integer('state_generation').notNull(),
  publicOutputs: exactJson('public_outputs').$type<JsonObject>().notNull(),
  workspaceOutputs: exactJson('workspace_outputs').$type<JsonObject>().notNull(),
  outputDigest: text('output_digest').notNull(),
  createdAt: integer('created_at').notNull(),
});
