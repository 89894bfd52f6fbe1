import { blob, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { runs } from '#server/domains/runs/schema';
import { exactJson } from '#server/kernel/schema';

/** What a plan Run left behind: the seal that its apply is held to, and the redacted plan. The sealed plan file itself lies in the Run's folder. */
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
    /** Of the provider requirements the lock was made for: another set is initialised anew. */
    requirementsDigest: text('requirements_digest').notNull(),
    stateLineage: text('state_lineage').notNull(),
    stateSerial: integer('state_serial').notNull(),
    toolName: text('tool_name', { enum: ['tofu', 'terraform'] }).notNull(),
    toolVersion: text('tool_version').notNull(),
    configDigest: text('config_digest').notNull(),
    /** Of the archive of what was built for this plan; absent where nothing is built. */
    builtDigest: text('built_digest'),
    addresses: exactJson().$type<string[]>().notNull(),
    /** The redacted document, deflated JSON. */
    document: blob({ mode: 'buffer' }).notNull(),
    createdAt: integer('created_at').notNull(),
  },
  // The newest of a Capsule is asked for by every plan; the documents lie between a row's name and its time.
  (table) => [index('plan_artifacts_capsule').on(table.capsuleId, table.createdAt)],
);
