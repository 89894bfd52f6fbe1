import type { Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { canonicalJson, jsonDigest, sha256Hex } from '#server/kernel/digest';
import { AppError, notFound } from '#server/kernel/errors';
import { afterCreated, type Cursors, createdOf, type PageQuery, readPage } from '#server/kernel/page';
import { type BaseTarget, chooseBase } from '#shared/install-configs/choose-base';
import { genericInstallConfigId, type InstallConfig } from '#shared/install-configs/contract';
import type { InstallParts } from '#shared/install-configs/parts';
import { idPrefix } from '#shared/kernel/id';
import type { JsonObject } from '#shared/kernel/json';
import type { PolicyConfig } from '#shared/workspaces/contract';

import { createConfigDigests, genericRecord, requireIntact, secretsContext } from './digests.ts';
import { configOf } from './record.ts';
import type { Provenance } from './schema.ts';
import { type ConfigRow, createInstallConfigsStore } from './store.ts';

export type InstallConfigsService = ReturnType<typeof createInstallConfigsService>;
export type DerivedConfig = {
  /** Source of the id, so that a repeated step creates the same row. */
  seed: string;
  workspaceId: string;
  name: string;
  modulePath: string;
  provenance: Provenance;
  variables: JsonObject;
  secretVariables: readonly string[];
  /** The configuration that policy, Outputs and parts come from. */
  baseId: string;
  /** Parts that differ from those of the base. */
  parts?: InstallParts;
};
/** Changes of a successor from the previous configuration; other members stay. */
export type Succession = Pick<DerivedConfig, 'seed' | 'provenance' | 'variables' | 'secretVariables'> & {
  /** Replaces the parts of the previous configuration. */
  parts?: InstallParts;
};
/** A complete configuration, for a Run of its Capsule. */
export type PrivateConfig = {
  id: string;
  digest: string;
  modulePath: string;
  provenance: Provenance;
  variables: JsonObject;
  secretVariables: readonly string[];
  policy: PolicyConfig;
  allOutputs: boolean;
  parts: InstallParts;
};

/** The base of a proposal. */
export type BaseConfig = Pick<
  ConfigRow,
  'id' | 'workspaceId' | 'modulePath' | 'provenance' | 'policy' | 'allOutputs' | 'digest'
> & {
  isDerived: boolean;
  parts: InstallParts;
  variableMapping: JsonObject;
  variableNames: string[];
};

type Deps = { db: Db; clock: Clock; cursors: Cursors; vault: Vault };

const derivedId = (seed: string): string => idPrefix.installConfig + sha256Hex(seed).slice(0, 16);

const baseOf = (row: ConfigRow): BaseConfig => {
  const { id, workspaceId, modulePath, provenance, policy, allOutputs, digest, derived, variableMapping } = row;
  const parts = row.parts ?? {};
  const contexts = Object.keys(parts.installContextVariableMapping ?? {});
  return {
    id,
    workspaceId,
    modulePath,
    isDerived: derived,
    provenance,
    policy,
    allOutputs,
    digest,
    parts,
    variableMapping,
    variableNames: [...Object.keys(variableMapping), ...contexts, ...row.secretVariables],
  };
};

export function createInstallConfigsService({ db, clock, cursors, vault }: Deps) {
  const store = createInstallConfigsStore(db);
  const digests = createConfigDigests(vault);
  const { openSecrets } = digests;

  function getRow(id: string): ConfigRow {
    const row = store.findConfig(id);
    if (!row) throw notFound('InstallConfig');
    return row;
  }

  function seal(
    {
      parts: allParts,
      ...columns
    }: Pick<ConfigRow, 'id' | 'workspaceId' | 'name' | 'modulePath' | 'policy' | 'allOutputs' | 'parts'>,
    succession: Omit<Succession, 'seed' | 'parts'>,
  ): { id: string; digest: string } {
    const parts = allParts && Object.keys(allParts).length > 0 ? allParts : null;
    const isSecret = (name: string) => succession.secretVariables.includes(name);
    const pick = (secret: boolean): JsonObject =>
      Object.fromEntries(
        Object.entries(succession.variables).filter(([name]) => isSecret(name) === secret),
      ) as JsonObject;
    const hidden = pick(true);
    const sealed = Object.keys(hidden).length > 0 ? Buffer.from(canonicalJson(hidden)) : undefined;
    const record = {
      ...columns,
      parts,
      provenance: succession.provenance,
      variableMapping: pick(false),
      secretVariables: [...succession.secretVariables].sort(),
    };
    const digest = digests.digestOfRecord(record, sealed);
    const now = clock.now();
    const secrets = sealed ? vault.seal(secretsContext(columns.id, columns.workspaceId), sealed) : null;
    if (!store.insertConfig({ ...record, derived: true, secrets, digest, createdAt: now, updatedAt: now }))
      throw new AppError('conflict', 'This configuration was created by another request. Reload and try again.');
    return { id: columns.id, digest };
  }

  return {
    /** The configuration that plain modules start from; it is empty. */
    ensureGeneric(): void {
      const now = clock.now();
      const columns = {
        ...genericRecord,
        workspaceId: null,
        derived: false,
        secretVariables: [],
        parts: null,
        secrets: null,
        allOutputs: true,
      };
      db.write(() =>
        store.insertConfig({ ...columns, digest: jsonDigest(genericRecord), createdAt: now, updatedAt: now }),
      );
    },

    /** Seals the immutable configuration of one installation. */
    derive(input: DerivedConfig): { id: string; digest: string } {
      const id = derivedId(input.seed);
      const known = store.findConfig(id);
      if (known) return { id, digest: known.digest };
      const { workspaceId, name, modulePath } = input;
      const { policy, parts, ...base } = getRow(input.baseId);
      // The author of Interfaces also declares which Outputs are public.
      const allOutputs = base.allOutputs && input.provenance.manifest === undefined;
      return seal({ id, workspaceId, name, modulePath, policy, allOutputs, parts: input.parts ?? parts }, input);
    },

    /** Seals the successor of a derived configuration: other values, everything else unchanged. */
    succeed(previousId: string, input: Succession): { id: string; digest: string } {
      const { workspaceId, name, modulePath, policy, allOutputs, ...previous } = getRow(previousId);
      const parts = input.parts ?? previous.parts;
      return seal({ id: derivedId(input.seed), workspaceId, name, modulePath, policy, allOutputs, parts }, input);
    },

    /** Deletes proposals that nothing references, which the caller must have checked; returns their number. */
    deleteProposals: (ids: readonly string[]): number => db.write(() => store.deleteConfigs(ids)),

    derivedId,
    /** A configuration as the base of another; undefined when there is none. */
    findBase(id: string): BaseConfig | undefined {
      const row = store.findConfig(id);
      return row && baseOf(row);
    },
    /** Returns the id of the base for a module of a Source: of the Workspace before shared, with a module path before without. */
    chooseBase: (workspaceId: string, at: BaseTarget): string =>
      chooseBase(
        store.listBases(workspaceId).map((row) => configOf(row, [])),
        at,
      )?.id ?? genericInstallConfigId,
    findProvenance: (id: string): Provenance | null | undefined => store.findConfig(id)?.provenance,

    getPrivate(id: string): PrivateConfig {
      const row = getRow(id);
      if (row.modulePath === null || row.provenance === null) throw notFound('InstallConfig of a Capsule');
      return {
        id,
        digest: row.digest,
        modulePath: row.modulePath,
        provenance: row.provenance,
        variables: { ...row.variableMapping, ...openSecrets(row) },
        secretVariables: row.secretVariables,
        policy: row.policy,
        allOutputs: row.allOutputs,
        parts: row.parts ?? {},
      };
    },

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
    listConfigs(workspaceId: string, query: PageQuery & { view?: 'all' | 'store' | undefined }) {
      const { view = 'all' } = query;
      const { rows, next } = readPage(cursors, query, {
        binding: `configs:${workspaceId}:${view}`,
        fetch: (after, limit) => store.listConfigs({ workspaceId, view, limit, after: afterCreated(after) }),
        positionOf: createdOf,
      });
      return { installConfigs: rows.map((row) => configOf(row, [])), ...next };
    },
  };
}
