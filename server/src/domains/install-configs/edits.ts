import type { Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { canonicalJson, sha256Hex } from '#server/kernel/digest';
import { AppError, failedPrecondition, invalidArgument, notFound } from '#server/kernel/errors';
import { genericInstallConfigId } from '#shared/install-configs/contract';
import type { CreateInstallConfig, InstallConfigPatch } from '#shared/install-configs/patch';
import { idPrefix } from '#shared/kernel/id';
import { isSecretLike } from '#shared/secret-like';
import { createConfigDigests, requireIntact } from './digests.ts';
import { applyPatch } from './patch-rules.ts';
import { type ConfigRow, createInstallConfigsStore } from './store.ts';

type Deps = { db: Db; clock: Clock; vault: Vault };

/** The operator's edits of configurations that belong to no Capsule; each runs in the caller's transaction. */
export function createConfigEdits({ db, clock, vault }: Deps) {
  const store = createInstallConfigsStore(db);
  const digests = createConfigDigests(vault);

  function getRow(id: string): ConfigRow {
    const row = store.findConfig(id);
    if (!row) throw notFound('InstallConfig');
    return row;
  }

  return {
    /** Returns the id of the new row. 400 `install_config_patch_invalid`, 409 `install_config_selector_taken`. */
    create({ workspaceId, name, modulePath, policy = {}, ...members }: CreateInstallConfig, seed: string) {
      const {
        sourceSelector,
        sourceBuild,
        installContextVariableMapping,
        managedPublicHostname,
        store: entry,
        ...patch
      } = members;
      refuseSecretText({ name, ...entry });
      if (workspaceId !== undefined && bindsInstaller(patch)) throw installerNotShared();
      const empty = { variableMapping: {}, secretVariables: [], parts: null, policy, allOutputs: true };
      const { parts, ...applied } = applyPatch(empty, patch);
      refuseTwice(Object.keys(applied.variableMapping), Object.keys(installContextVariableMapping ?? {}));
      const whole = {
        ...parts,
        ...(sourceSelector && { sourceSelector }),
        ...(sourceBuild && { sourceBuild }),
        ...(installContextVariableMapping && { installContextVariableMapping }),
        ...(managedPublicHostname && { managedPublicHostname }),
        ...(entry && { store: entry }),
      };
      const row = {
        ...applied,
        id: idPrefix.installConfig + sha256Hex(seed).slice(0, 16),
        workspaceId: workspaceId ?? null,
        name,
        modulePath: modulePath ?? null,
        provenance: null,
        secretVariables: [],
        parts: Object.keys(whole).length > 0 ? whole : null,
      };
      requireFreeSelector(store.listBases(workspaceId), row);
      const now = clock.now();
      const digest = digests.digestOfRecord(row, undefined);
      store.insertConfig({ ...row, derived: false, secrets: null, digest, createdAt: now, updatedAt: now });
      return { id: row.id, digest };
    },

    /**
     * Replaces members of a row and returns its digests before and after. 400 `install_config_patch_invalid`, 409
     * `install_config_in_use` for a derived row, `conflict` when it changed concurrently, and
     * `capsule_install_config_rebind_conflict` for a row that was altered in the ledger: a patch would seal the alteration.
     */
    replace(id: string, patch: Omit<InstallConfigPatch, 'kind'>): { from: string; to: string } {
      const row = getRow(id);
      requireIntact(digests, row);
      const replaced = applyPatch(row, patch);
      if (row.derived)
        throw inUse('This configuration was made for one Capsule and never changes. Change the Capsule.');
      if (row.workspaceId !== null && bindsInstaller(patch)) throw installerNotShared();
      refuseTwice(Object.keys(replaced.variableMapping), Object.keys(row.parts?.installContextVariableMapping ?? {}));
      const secrets = row.secrets === null ? undefined : Buffer.from(canonicalJson(digests.openSecrets(row)));
      const digest = digests.digestOfRecord({ ...row, ...replaced }, secrets);
      const updatedAt = Math.max(clock.now(), row.updatedAt + 1);
      if (store.replaceConfig({ id, digest: row.digest }, { ...replaced, digest, updatedAt }) !== 1)
        throw new AppError('conflict', 'This configuration was modified by another request. Reload and try again.');
      return { from: row.digest, to: digest };
    },

    /** 404, and 409 `install_config_in_use` for a derived row and the built-in one. */
    delete(id: string): void {
      const { derived } = getRow(id);
      if (derived) throw inUse('This configuration belongs to a Capsule. Destroy the Capsule instead.');
      if (id === genericInstallConfigId)
        throw inUse('This configuration is built in. Plain modules are installed from it.');
      store.deleteConfigs([id]);
    },
  };
}

export type ConfigEdits = ReturnType<typeof createConfigEdits>;

function requireFreeSelector(
  others: readonly ConfigRow[],
  { workspaceId, modulePath, parts }: Pick<ConfigRow, 'workspaceId' | 'modulePath' | 'parts'>,
): void {
  const selector = parts?.sourceSelector;
  const isTaken = (other: ConfigRow) =>
    other.workspaceId === workspaceId &&
    other.modulePath === modulePath &&
    other.parts?.sourceSelector?.url === selector?.url &&
    other.parts?.sourceSelector?.path === selector?.path;
  if (selector === undefined || !others.some(isTaken)) return;
  throw failedPrecondition(
    'install_config_selector_taken',
    'Another configuration already has this repository, path and module. Patch or delete that one.',
  );
}

const inUse = (message: string): AppError => failedPrecondition('install_config_in_use', message);

const installerNotShared = (): AppError =>
  inUse('Only a shared configuration can bind the installing principal. Name the subject instead.');

const bindsInstaller = ({ interfaceBlueprints = [] }: Omit<InstallConfigPatch, 'kind'>): boolean =>
  interfaceBlueprints.some(({ bindings = [] }) => bindings.some(({ subject }) => subject !== undefined));

function refuseTwice(fixed: readonly string[], contexts: readonly string[]): void {
  if (!contexts.some((name) => fixed.includes(name))) return;
  throw invalidArgument(
    'install_config_patch_invalid',
    'A variable has a fixed value and receives an id of the installation. Leave it out of one of the mappings.',
    { field: '/variableMapping' },
  );
}

function refuseSecretText(texts: { name: string; title?: string; description?: string | undefined }): void {
  const secret = Object.entries(texts).find(([, text]) => text !== undefined && isSecretLike(text));
  if (!secret) return;
  const [member] = secret;
  throw invalidArgument(
    'secret_like_value',
    'The text looks like a credential, and everything here is public. Remove it.',
    { field: member === 'name' ? '/name' : `/store/${member}` },
  );
}
