import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { workspaces } from '#server/domains/workspaces/schema';
import { exactJson } from '#server/kernel/schema';
import type { ScopeHints } from '#shared/connections/contract';
import { connectionStatuses } from '#shared/connections/machine';
import type { AuthMode } from '#shared/connections/recipe';

/** The recipe as it was when the Connection was created; later changes by an operator do not affect the Connection. */
export type PinnedRecipe = {
  id: string;
  authMode: string;
  terraformSource: string[] | '*';
  requiredEnvGroups: string[][];
  mode: AuthMode;
  /** Names that the person declared, where the recipe allows them. */
  declaredEnv?: string[];
};

/** Material of a Connection, by name only. */
export type FileName = { path: string; envName?: string; mode: string };

export const connections = sqliteTable(
  'connections',
  {
    id: text().primaryKey(),
    /** Null for those of the operator, which every Workspace may use. */
    workspaceId: text('workspace_id').references(() => workspaces.id),
    provider: text().notNull(),
    providerSource: text('provider_source').notNull(),
    kind: text(),
    status: text({ enum: connectionStatuses }).notNull(),
    displayName: text('display_name'),
    secretPartition: text('secret_partition'),
    recipe: exactJson().$type<PinnedRecipe>(),
    envNames: exactJson('env_names').$type<string[]>().notNull(),
    files: exactJson().$type<FileName[]>().notNull(),
    scopeHints: exactJson('scope_hints').$type<ScopeHints>(),
    createdBy: text('created_by').notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    verifiedAt: integer('verified_at'),
    expiresAt: integer('expires_at'),
  },
  (table) => [index('connections_workspace').on(table.workspaceId, table.createdAt, table.id)],
);

/** The values themselves, each sealed separately. A revoke deletes them. */
export const connectionMaterials = sqliteTable(
  'connection_materials',
  {
    /** Connection, kind and name, so that a value moved to another name does not open there. */
    id: text().primaryKey(),
    connectionId: text('connection_id')
      .notNull()
      .references(() => connections.id),
    workspaceId: text('workspace_id'),
    kind: text({ enum: ['env', 'file'] }).notNull(),
    name: text().notNull(),
    sealed: blob({ mode: 'buffer' }).notNull(),
  },
  (table) => [index('connection_materials_of').on(table.connectionId)],
);

/** Names of a Connection that were issued to each Run. */
export const connectionUses = sqliteTable(
  'connection_uses',
  {
    connectionId: text('connection_id')
      .notNull()
      .references(() => connections.id),
    runId: text('run_id').notNull(),
    capsuleId: text('capsule_id'),
    names: exactJson().$type<string[]>().notNull(),
    usedAt: integer('used_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.connectionId, table.runId] }),
    index('connection_uses_newest').on(table.connectionId, table.usedAt, table.runId),
  ],
);
