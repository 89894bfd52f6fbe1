import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { workspaces } from '#server/domains/workspaces/schema';
import { exactJson } from '#server/kernel/schema';
import type { AuthMode } from '#shared/connections/auth-mode';
import type { ScopeHints } from '#shared/connections/contract';
import { connectionStatuses } from '#shared/connections/machine';

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

/** Body of a request to a credential service. */
export type RunCredentialRequest = {
  kind: string;
  context: 'capsule-run.v1';
  workspaceId: string;
  capsuleId: string;
  runId: string;
  phase: string;
  audience: string;
  scopes: string[];
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

/**
 * Credentials that were requested from a credential service for a Run, from before the request until they are revoked.
 * No value of a credential is stored here.
 */
export const credentialIssuances = sqliteTable(
  'credential_issuances',
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    /** `Idempotency-Key` of the request: a repeated request gets the same credential. */
    key: text().notNull(),
    /** Not a reference: a Run may be deleted before its credentials are revoked. */
    runId: text('run_id').notNull(),
    connectionId: text('connection_id')
      .notNull()
      .references(() => connections.id),
    recipeId: text('recipe_id').notNull(),
    request: exactJson().$type<RunCredentialRequest>().notNull(),
    /** Id that the service gave the credential; null while its answer is unknown. */
    credentialId: text('credential_id'),
    /** Failed revocations, and the time of the next one. */
    tries: integer().notNull().default(0),
    dueAt: integer('due_at').notNull().default(0),
    giveUpAt: integer('give_up_at'),
  },
  (table) => [index('credential_issuances_run').on(table.runId)],
);
