import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { canonicalJson, hmacHex, jsonDigest, sha256Hex } from '#server/kernel/digest';
import { notFound } from '#server/kernel/errors';
import { afterCreated, type Cursors, createdOf, type PageAsk, readPage } from '#server/kernel/page';
import type { Vault } from '#server/vault/index';
import { genericInstallConfigId, type InstallConfig, redactedSentinel } from '#shared/configs/contract';
import { idPrefix } from '#shared/kernel/id';
import type { Json, JsonObject } from '#shared/kernel/json';
import type { PolicyConfig } from '#shared/workspaces/contract';
import type { Provenance } from './schema.ts';
import { type ConfigRow, createConfigsStore } from './store.ts';

export type ConfigsService = ReturnType<typeof createConfigsService>;
export type DerivedConfig = {
  /** What the id is derived from, so that a repeated step makes the same row. */
  seed: string;
  workspaceId: string;
  name: string;
  modulePath: string;
  provenance: Provenance;
  variables: JsonObject;
  secretVariables: readonly string[];
};
/** A configuration whole, for a Run of its Capsule. */
export type PrivateConfig = {
  id: string;
  digest: string;
  modulePath: string;
  provenance: Provenance;
  variables: JsonObject;
  secretVariables: readonly string[];
  policy: PolicyConfig;
  allOutputs: boolean;
};

type Deps = { db: Db; clock: Clock; cursors: Cursors; vault: Vault };

export function createConfigsService({ db, clock, cursors, vault }: Deps) {
  const store = createConfigsStore(db);
  const digestKey = vault.installationKey('install-config-digest');
  const contextOf = (id: string, workspaceId: string) => ({
    table: 'install_configs',
    row: id,
    column: 'secrets',
    workspaceId,
  });

  function getRow(id: string): ConfigRow {
    const row = store.findConfig(id);
    if (!row) throw notFound('InstallConfig');
    return row;
  }

  function openSecrets(row: ConfigRow): JsonObject {
    if (row.secrets === null) return {};
    return JSON.parse(vault.open(contextOf(row.id, row.workspaceId ?? ''), row.secrets).toString()) as JsonObject;
  }

  return {
    /** The configuration that plain modules start from; it holds nothing. */
    ensureGeneric(): void {
      const now = clock.now();
      const bare = {
        id: genericInstallConfigId,
        name: 'Plain OpenTofu module',
        modulePath: null,
        provenance: null,
        variableMapping: {},
        policy: {},
      };
      const columns = {
        ...bare,
        workspaceId: null,
        derived: false,
        secretVariables: [],
        secrets: null,
        allOutputs: true,
      };
      db.write(() => store.insertConfig({ ...columns, digest: jsonDigest(bare), createdAt: now, updatedAt: now }));
    },

    /** Seals the immutable configuration of one installation. Secret values enter the digest only as a MAC. */
    derive(input: DerivedConfig): { id: string; digest: string } {
      const id = idPrefix.installConfig + sha256Hex(input.seed).slice(0, 16);
      const known = store.findConfig(id);
      if (known) return { id, digest: known.digest };
      const isSecret = (name: string) => input.secretVariables.includes(name);
      const pick = (secret: boolean): JsonObject =>
        Object.fromEntries(Object.entries(input.variables).filter(([name]) => isSecret(name) === secret)) as JsonObject;
      const hidden = pick(true);
      const sealed = Object.keys(hidden).length > 0 ? Buffer.from(canonicalJson(hidden)) : undefined;
      const record = {
        id,
        workspaceId: input.workspaceId,
        name: input.name,
        modulePath: input.modulePath,
        provenance: input.provenance,
        variableMapping: pick(false),
        secretVariables: [...input.secretVariables].sort(),
        policy: {},
        allOutputs: true,
      };
      const digest = jsonDigest({ ...record, secrets: sealed ? hmacHex(digestKey, sealed) : null });
      const now = clock.now();
      const secrets = sealed ? vault.seal(contextOf(id, input.workspaceId), sealed) : null;
      store.insertConfig({ ...record, derived: true, secrets, digest, createdAt: now, updatedAt: now });
      return { id, digest };
    },

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
      };
    },

    digestOf: (id: string): string => getRow(id).digest,
    /** null for a shared row, which every account may read. */
    findWorkspace: (id: string): string | null | undefined => store.findConfig(id)?.workspaceId,
    getConfig: (id: string): InstallConfig => configOf(getRow(id)),

    listConfigs(workspaceId: string, query: PageAsk) {
      const { rows, next } = readPage(cursors, query, {
        binding: `configs:${workspaceId}`,
        fetch: (after, limit) => store.listConfigs(workspaceId, limit, afterCreated(after)),
        positionOf: createdOf,
      });
      return { installConfigs: rows.map(configOf), ...next };
    },
  };
}

/** The public projection: secret values are replaced, provenance stays inside. */
function configOf(row: ConfigRow): InstallConfig {
  const hidden = Object.fromEntries(row.secretVariables.map((name) => [name, redactedSentinel as Json]));
  return {
    id: row.id,
    ...(row.workspaceId !== null && { workspaceId: row.workspaceId }),
    name: row.name,
    ...(row.modulePath !== null && { modulePath: row.modulePath }),
    variableMapping: { ...row.variableMapping, ...hidden } as InstallConfig['variableMapping'],
    policy: row.policy,
    outputAllowlist: {},
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  };
}
