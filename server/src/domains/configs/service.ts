import type { Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { canonicalJson, hmacHex, jsonDigest, sha256Hex } from '#server/kernel/digest';
import { AppError, failedPrecondition, notFound } from '#server/kernel/errors';
import { afterCreated, type Cursors, createdOf, type PageAsk, readPage } from '#server/kernel/page';
import { genericInstallConfigId, type InstallConfig } from '#shared/configs/contract';
import type { InstallParts } from '#shared/configs/parts';
import type { InstallConfigPatch } from '#shared/configs/patch';
import { idPrefix } from '#shared/kernel/id';
import type { JsonObject } from '#shared/kernel/json';
import type { PolicyConfig } from '#shared/workspaces/contract';
import { applyPatch } from './patch-rules.ts';
import { configOf } from './record.ts';
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
  /** The configuration that policy, Outputs and parts come from. */
  baseId: string;
  /** Where they are not those of the base. */
  parts?: InstallParts;
};
/** What a successor changes of the configuration it follows; the rest stays. */
export type Succession = Pick<DerivedConfig, 'seed' | 'provenance' | 'variables' | 'secretVariables'>;
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
  parts: InstallParts;
};

/** What a proposal is laid over. */
export type BaseConfig = Pick<
  ConfigRow,
  'id' | 'workspaceId' | 'modulePath' | 'provenance' | 'policy' | 'allOutputs' | 'digest'
> & {
  isDerived: boolean;
  parts: InstallParts;
  variableNames: string[];
};

type Deps = { db: Db; clock: Clock; cursors: Cursors; vault: Vault };

const derivedId = (seed: string): string => idPrefix.installConfig + sha256Hex(seed).slice(0, 16);

export function createConfigsService({ db, clock, cursors, vault }: Deps) {
  const store = createConfigsStore(db);
  const digestKey = () => vault.installationKey('install-config-digest');
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

  /** Secret values enter the digest only as a MAC. */
  const digestOfRecord = (record: object, secrets: Buffer | undefined): string =>
    jsonDigest({ ...record, secrets: secrets ? hmacHex(digestKey(), secrets) : null });

  function seal(
    {
      parts,
      ...kept
    }: Pick<ConfigRow, 'id' | 'workspaceId' | 'name' | 'modulePath' | 'policy' | 'allOutputs' | 'parts'>,
    given: Omit<Succession, 'seed'>,
  ): { id: string; digest: string } {
    const isSecret = (name: string) => given.secretVariables.includes(name);
    const pick = (secret: boolean): JsonObject =>
      Object.fromEntries(Object.entries(given.variables).filter(([name]) => isSecret(name) === secret)) as JsonObject;
    const hidden = pick(true);
    const sealed = Object.keys(hidden).length > 0 ? Buffer.from(canonicalJson(hidden)) : undefined;
    const record = {
      ...kept,
      ...(parts && { parts }),
      provenance: given.provenance,
      variableMapping: pick(false),
      secretVariables: [...given.secretVariables].sort(),
    };
    const digest = digestOfRecord(record, sealed);
    const now = clock.now();
    const secrets = sealed ? vault.seal(contextOf(kept.id, kept.workspaceId ?? ''), sealed) : null;
    if (!store.insertConfig({ ...record, parts, derived: true, secrets, digest, createdAt: now, updatedAt: now }))
      throw new AppError('conflict', 'This configuration was made meanwhile. Read it again.');
    return { id: kept.id, digest };
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
        parts: null,
        secrets: null,
        allOutputs: true,
      };
      db.write(() => store.insertConfig({ ...columns, digest: jsonDigest(bare), createdAt: now, updatedAt: now }));
    },

    /** Seals the immutable configuration of one installation. */
    derive(input: DerivedConfig): { id: string; digest: string } {
      const id = derivedId(input.seed);
      const known = store.findConfig(id);
      if (known) return { id, digest: known.digest };
      const { workspaceId, name, modulePath } = input;
      const { policy, parts, ...base } = getRow(input.baseId);
      // Who offers Interfaces says with them what is public (shapes 11.1).
      const allOutputs = base.allOutputs && input.provenance.manifest === undefined;
      return seal({ id, workspaceId, name, modulePath, policy, allOutputs, parts: input.parts ?? parts }, input);
    },

    /** Seals the successor of a derived configuration: other values, everything else as it was. */
    succeed(previousId: string, input: Succession): { id: string; digest: string } {
      const { workspaceId, name, modulePath, policy, allOutputs, parts } = getRow(previousId);
      return seal({ id: derivedId(input.seed), workspaceId, name, modulePath, policy, allOutputs, parts }, input);
    },

    /**
     * Replaces members of a configuration that is not one of a Capsule, in the caller's transaction; who uses it is for
     * the caller to know. Answers its digests before and after. 400 `install_config_patch_invalid`, 409
     * `install_config_in_use` for a derived one and `conflict` when it moved meanwhile.
     */
    replace(id: string, patch: InstallConfigPatch): { from: string; to: string } {
      const row = getRow(id);
      const replaced = applyPatch(row, patch);
      if (row.derived)
        throw inUse('This configuration was made for one Capsule and never changes. Change the Capsule.');
      if (row.workspaceId !== null && bindsInstaller(patch))
        throw inUse('Only a shared configuration can bind whoever installs. Name the subject instead.');
      const { workspaceId, name, modulePath, allOutputs, provenance, secretVariables } = row;
      const { parts, ...next } = replaced;
      const record = { id, workspaceId, name, modulePath, allOutputs, provenance, secretVariables, ...next };
      const secrets = row.secrets === null ? undefined : Buffer.from(canonicalJson(openSecrets(row)));
      const digest = digestOfRecord({ ...record, ...(parts && { parts }) }, secrets);
      const updatedAt = Math.max(clock.now(), row.updatedAt + 1);
      if (store.replaceConfig({ id, digest: row.digest }, { ...replaced, digest, updatedAt }) !== 1)
        throw new AppError('conflict', 'This configuration was changed meanwhile. Read it again.');
      return { from: row.digest, to: digest };
    },

    /** Takes proposals away that nothing names, which whoever calls has to know; answers how many there were. */
    forgetProposals: (ids: readonly string[]): number => db.write(() => store.deleteConfigs(ids)),

    derivedId,
    /** A configuration as something to lay another over; undefined when there is none. */
    findBase(id: string): BaseConfig | undefined {
      const row = store.findConfig(id);
      if (!row) return undefined;
      const { workspaceId, modulePath, provenance, policy, allOutputs, digest, derived } = row;
      return {
        id,
        workspaceId,
        modulePath,
        isDerived: derived,
        provenance,
        policy,
        allOutputs,
        digest,
        parts: row.parts ?? {},
        variableNames: [...Object.keys(row.variableMapping), ...row.secretVariables],
      };
    },
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
    /** null for a shared row, which every account may read. */
    findWorkspace: (id: string): string | null | undefined => store.findConfig(id)?.workspaceId,
    getConfig(id: string): InstallConfig {
      const row = getRow(id);
      return configOf(row, Object.keys(openSecrets(row)));
    },

    /** Nothing here is offered by a store yet, so the view of one is empty. */
    listConfigs(workspaceId: string, query: PageAsk & { view?: 'all' | 'store' | undefined }) {
      if (query.view === 'store') return { installConfigs: [] };
      const { rows, next } = readPage(cursors, query, {
        binding: `configs:${workspaceId}`,
        fetch: (after, limit) => store.listConfigs(workspaceId, limit, afterCreated(after)),
        positionOf: createdOf,
      });
      return { installConfigs: rows.map((row) => configOf(row, [])), ...next };
    },
  };
}

const inUse = (message: string): AppError => failedPrecondition('install_config_in_use', message);

const bindsInstaller = ({ interfaceBlueprints = [] }: InstallConfigPatch): boolean =>
  interfaceBlueprints.some(({ bindings = [] }) => bindings.some(({ subject }) => subject !== undefined));
