import { blob, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { exactJson } from '#server/kernel/schema';
import type { InstallParts } from '#shared/install-configs/parts';
import type { JsonObject } from '#shared/kernel/json';
import type { PolicyConfig } from '#shared/workspaces/contract';

/** Where a derived configuration comes from, pinned when it was made; private. */
export type Provenance = {
  sourceId: string;
  sourceSnapshotId: string;
  ref: string;
  path: string;
  reportId: string;
  /** Digest of the variables the module declared, by which the values were checked; the first rows have none. */
  variableContractDigest?: string;
  /** The manifest that its parts were compiled from, and the configuration they were laid over. */
  manifest?: {
    apiVersion: string;
    digest: string;
    baseId: string;
    baseDigest: string;
    /** On the configuration of a Capsule: the proposal that was accepted. */
    acceptedId?: string;
  };
  /** On a successor: what was asked for under the key that its id is derived from. */
  receipt?: { requestDigest: string; previousInstallConfigId: string };
};

/** Immutable once a Capsule has it: a change of configuration is a successor row. Only the operator patches others. */
export const installConfigs = sqliteTable(
  'install_configs',
  {
    id: text().primaryKey(),
    /** Absent on shared rows. */
    workspaceId: text('workspace_id'),
    name: text().notNull(),
    /** Made for one Capsule; left out of lists. */
    derived: integer({ mode: 'boolean' }).notNull(),
    modulePath: text('module_path'),
    provenance: exactJson().$type<Provenance>(),
    /** Values of variables that are not secret. */
    variableMapping: exactJson('variable_mapping').$type<JsonObject>().notNull(),
    /** Names whose values are secret, also where there is none; the values stand sealed in `secrets`. */
    secretVariables: exactJson('secret_variables').$type<string[]>().notNull(),
    secrets: blob({ mode: 'buffer' }),
    /** What stands beside the values; rows of plain modules have none. */
    parts: exactJson().$type<InstallParts>(),
    policy: exactJson().$type<PolicyConfig>().notNull(),
    /** Every root Output that is neither sensitive nor ephemeral is public. */
    allOutputs: integer('all_outputs', { mode: 'boolean' }).notNull(),
    digest: text().notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [index('install_configs_workspace').on(table.workspaceId, table.createdAt, table.id)],
);
