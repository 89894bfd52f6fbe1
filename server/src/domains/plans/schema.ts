import { blob, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { runs } from '#server/domains/runs/schema';
import { exactJson } from '#server/kernel/schema';

/** Result of a plan Run: the seal that binds its apply, and the redacted plan. The sealed plan file itself is in the Run's folder. */
export const planArtifacts = sqliteTable(
  'plan_artifacts',
  {
    runId: text('run_id')
      .primaryKey()
      .references(() => runs.id),
    capsuleId: text('capsule_id').notNull(),
    planFileDigest: text('plan_file_digest').notNull(),
    lock: text().notNull(),
    lockDigest: text('lock_digest').notNull(),
    /** Digest of the provider requirements of the lock: other requirements are initialized again. */
    requirementsDigest: text('requirements_digest').notNull(),
    stateLineage: text('state_lineage').notNull(),
    stateSerial: integer('state_serial').notNull(),
    toolName: text('tool_name', { enum: ['tofu', 'terraform'] }).notNull(),
    toolVersion: text('tool_version').notNull(),
    configDigest: text('config_digest').notNull(),
    /** Digest of the archive of files built for this plan; absent without a build. */
    builtDigest: text('built_digest'),
    addresses: exactJson().$type<string[]>().notNull(),
    /** The redacted document, deflated JSON. */
    document: blob({ mode: 'buffer' }).notNull(),
    createdAt: integer('created_at').notNull(),
  },
  // Every plan reads the newest row of a Capsule, and the documents separate a row's name from its time in the file.
  (table) => [index('plan_artifacts_capsule').on(table.capsuleId, table.createdAt)],
);

/**
 * Keyed digests of the sensitive values of a plan, in the order in which its document holds their marks, so that two
 * plans can be compared. Absent for plans of earlier versions and for plans without such values.
 */
export const planDigests = sqliteTable('plan_digests', {
  runId: text('run_id')
    .primaryKey()
    .references(() => runs.id),
  workspaceId: text('workspace_id').notNull(),
  /** Sealed, deflated JSON: a list of texts. */
  sealed: blob({ mode: 'buffer' }).notNull(),
});
