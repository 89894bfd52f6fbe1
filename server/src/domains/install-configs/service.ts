import type { Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { notFound } from '#server/kernel/errors';
import { afterCreated, type Cursors, createdOf, type ListQueryOf, readPage } from '#server/kernel/page';
import type { installConfigsApi } from '#shared/install-configs/api';
import type { InstallConfig } from '#shared/install-configs/contract';
import type { InstallParts, PublicHostname } from '#shared/install-configs/parts';
import type { JsonObject } from '#shared/kernel/json';
import type { PolicyConfig } from '#shared/workspaces/contract';
import { createConfigBases } from './bases.ts';
import { createConfigDerivation, derivedId } from './derivation.ts';
import { createConfigDigests, requireIntact } from './digests.ts';
import { configOf } from './record.ts';
import type { Provenance } from './schema.ts';
import { type ConfigRow, createInstallConfigsStore } from './store.ts';
import { createValueHistory } from './value-history.ts';

export type InstallConfigsService = ReturnType<typeof createInstallConfigsService>;
/** A complete configuration, for a Run of its Capsule. */
export type PrivateConfig = {
  id: string;
  digest: string;
  modulePath: string;
  provenance: Provenance;
  policy: PolicyConfig;
  allOutputs: boolean;
} & ConfigValues;
type ConfigValues = { variables: JsonObject; secretVariables: readonly string[]; parts: InstallParts };

type Deps = { db: Db; clock: Clock; cursors: Cursors; vault: Vault };

/** The configurations of a Workspace, and those that every Workspace shares. */
export function createInstallConfigsService(deps: Deps) {
  const { db, cursors } = deps;
  const store = createInstallConfigsStore(db);
  const digests = createConfigDigests(deps.vault);
  const { openSecrets } = digests;

  function getRow(id: string): ConfigRow {
    const row = store.findConfig(id);
    if (!row) throw notFound('InstallConfig');
    return row;
  }

  const valuesOf = (row: ConfigRow): ConfigValues => ({
    variables: { ...row.variableMapping, ...openSecrets(row) },
    secretVariables: row.secretVariables,
    parts: row.parts ?? {},
  });

  return {
    ...createConfigBases({ ...deps, store }),
    ...createConfigDerivation({ ...deps, store, digests, getRow }),
    ...createValueHistory({ store, digests }),
    /** Deletes proposals that nothing references, which the caller must have checked; returns their number. */
    deleteProposals: (ids: readonly string[]): number => db.write(() => store.deleteConfigs(ids)),

    derivedId,
    findProvenance: (id: string): Provenance | null | undefined => store.findConfig(id)?.provenance,

    getPrivate(id: string): PrivateConfig {
      const row = getRow(id);
      const { modulePath, provenance, digest, policy, allOutputs } = row;
      if (modulePath === null || provenance === null) throw notFound('InstallConfig of a Capsule');
      return { id, digest, modulePath, provenance, policy, allOutputs, ...valuesOf(row) };
    },
    /** Returns the values and parts of any configuration, with secrets in clear. */
    getValues: (id: string): ConfigValues => valuesOf(getRow(id)),

    /** Returns what a configuration declares, without its values. */
    getDeclarations(id: string) {
      const { parts, provenance, updatedAt } = getRow(id);
      return { parts: parts ?? {}, provenance, updatedAt };
    },
    /** Returns the Capsule that is not destroyed and whose configuration has a hostname. */
    findHostnameHolder: store.findHostnameHolder,
    findHostname: (id: string): PublicHostname | undefined => store.findConfig(id)?.parts?.publicHostname,

    digestOf: (id: string): string => getRow(id).digest,
    /** Returns the digest of the row as it is stored now, for guards. */
    digestNow: (id: string): string => digests.digestNow(getRow(id)),
    /** 409 `capsule_install_config_rebind_conflict` for a row that was altered after it was sealed. */
    requireIntact: (id: string): void => requireIntact(digests, getRow(id)),
    /** null for a shared row, which every account may read. */
    findWorkspace: (id: string): string | null | undefined => store.findConfig(id)?.workspaceId,
    getConfig(id: string): InstallConfig {
      const row = getRow(id);
      return configOf(row, Object.keys(openSecrets(row)));
    },

    /** Returns shared rows and rows of the Workspace; the view `store` has those with display text. */
    listConfigs(
      workspaceId: string,
      query: Omit<ListQueryOf<typeof installConfigsApi.listInstallConfigs>, 'workspaceId'>,
    ) {
      const { view = 'all', ...page } = query;
      const { rows, next } = readPage(cursors, page, {
        binding: `configs:${workspaceId}:${view}`,
        fetch: (after, limit) => store.listConfigs({ workspaceId, view, limit, after: afterCreated(after) }),
        positionOf: createdOf,
      });
      return { installConfigs: rows.map((row) => configOf(row, [])), ...next };
    },
  };
}
