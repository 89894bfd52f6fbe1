import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { capsules } from '#server/domains/capsules/schema';
import { runs } from '#server/domains/runs/schema';
import { workspaces } from '#server/domains/workspaces/schema';

/** The one binding set of a Capsule; a change of configuration replaces its bindings. */
export const providerBindingSets = sqliteTable('provider_binding_sets', {
  id: text().primaryKey(),
  workspaceId: text('workspace_id')
    .notNull()
    .references(() => workspaces.id),
  capsuleId: text('capsule_id')
    .notNull()
    .unique()
    .references(() => capsules.id),
  environment: text().notNull(),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

export const providerBindings = sqliteTable(
  'provider_bindings',
  {
    setId: text('set_id')
      .notNull()
      .references(() => providerBindingSets.id),
    position: integer().notNull(),
    provider: text().notNull(),
    moduleLocalName: text('module_local_name').notNull(),
    childAlias: text('child_alias'),
    /** Refers to a Connection that may have been revoked. */
    connectionId: text('connection_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.setId, table.position] }),
    index('provider_bindings_connection').on(table.connectionId, table.setId),
  ],
);

/**
 * Credentials issued to an active Run, so that a process that takes it over can redact them, even after a revoke.
 * Sealed as an erasable secret, and erased when the Run leaves `running`.
 */
export const runCredentials = sqliteTable('run_credentials', {
  /** Id of the Run. */
  id: text()
    .primaryKey()
    .references(() => runs.id),
  workspaceId: text('workspace_id').notNull(),
  sealed: blob({ mode: 'buffer' }).notNull(),
});

/**
 * Credentials that the newest Runs of a Capsule got for themselves. Its plans and its state may contain them, so later
 * Runs redact them too.
 */
export const mintedSecrets = sqliteTable(
  'minted_secrets',
  {
    /** Id of the Run, which may be deleted before. */
    id: text().primaryKey(),
    workspaceId: text('workspace_id').notNull(),
    capsuleId: text('capsule_id')
      .notNull()
      .references(() => capsules.id),
    sealed: blob({ mode: 'buffer' }).notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [index('minted_secrets_newest').on(table.capsuleId, table.createdAt, table.id)],
);
