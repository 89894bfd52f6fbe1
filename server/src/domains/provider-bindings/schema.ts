import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { capsules } from '#server/domains/capsules/schema';
import { runs } from '#server/domains/runs/schema';
import { workspaces } from '#server/domains/workspaces/schema';

/** The binding set of a Capsule: one, whose bindings a change of configuration replaces. */
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
    /** Points at a Connection that may be revoked since. */
    connectionId: text('connection_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.setId, table.position] }),
    index('provider_bindings_connection').on(table.connectionId, table.setId),
  ],
);

/**
 * What a Run under way was given, so that whoever takes it over can redact it, also after a revoke. Sealed as a secret
 * that can be erased, and erased when the Run leaves `running`.
 */
export const runCredentials = sqliteTable('run_credentials', {
  /** Of the Run. */
  id: text()
    .primaryKey()
    .references(() => runs.id),
  workspaceId: text('workspace_id').notNull(),
  sealed: blob({ mode: 'buffer' }).notNull(),
});
