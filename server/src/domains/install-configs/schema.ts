import { blob, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { exactJson } from '#server/kernel/schema';
import type { InstallParts } from '#shared/install-configs/parts';
import type { JsonObject } from '#shared/kernel/json';
import type { PolicyConfig } from '#shared/workspaces/contract';

/** Origin of a derived configuration, pinned when it was created; private. */
export type Provenance = {
  sourceId: string;
  sourceSnapshotId: string;
  ref: string;
  path: string;
  reportId: string;
  /** Account that installed, or whose configuration plan brought the Interfaces; absent in rows of the first versions. */
  installerId?: string;
  /** Digest of the variables the module declared, by which the values were checked; absent in rows of the first versions. */
  variableContractDigest?: string;
  /** The manifest that its parts were compiled from, and the base configuration. */
  manifest?: {
    apiVersion: string;
    digest: string;
    baseId: string;
    baseDigest: string;
    /** On the configuration of a Capsule: the proposal that was accepted. */
    acceptedId?: string;
  };
  /** On a successor: the request under the key that its id is derived from. */
  receipt?: {
    requestDigest: string;
    previousInstallConfigId: string;
    /** Ids and digests that show that only an action after the last apply had failed. */
    recoveryProof?: JsonObject;
  };
};

/** Immutable once a Capsule has it: a change of configuration is a successor row. Only the operator patches others. */
export const installConfigs = sqliteTable(
  'install_configs',
  {
    id: text().primaryKey(),
    /** Absent on shared rows. */
    workspaceId: text('workspace_id'),
    name: text().notNull(),
    /** Created for one Capsule; left out of lists. */
    derived: integer({ mode: 'boolean' }).notNull(),
    modulePath: text('module_path'),
    provenance: exactJson().$type<Provenance>(),
    /** Values of variables that are not secret. */
    variableMapping: exactJson('variable_mapping').$type<JsonObject>().notNull(),
    /** Names whose values are secret, also where there is none; the values are sealed in `secrets`. */
    secretVariables: exactJson('secret_variables').$type<string[]>().notNull(),
    secrets: blob({ mode: 'buffer' }),
    /** Parts beside the values; absent in rows of plain modules. */
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
