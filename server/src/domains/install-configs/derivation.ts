import type { Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import { canonicalJson, sha256Hex } from '#server/kernel/digest';
import { AppError } from '#server/kernel/errors';
import type { InstallParts } from '#shared/install-configs/parts';
import { idPrefix } from '#shared/kernel/id';
import type { JsonObject } from '#shared/kernel/json';
import { type ConfigDigests, secretsContext } from './digests.ts';
import type { Provenance } from './schema.ts';
import type { ConfigRow, InstallConfigsStore } from './store.ts';

type DerivedConfig = {
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
type Succession = Pick<DerivedConfig, 'seed' | 'provenance' | 'variables' | 'secretVariables'> & {
  /** Replaces the parts of the previous configuration. */
  parts?: InstallParts;
};

type Deps = {
  clock: Clock;
  vault: Vault;
  store: Pick<InstallConfigsStore, 'findConfig' | 'insertConfig'>;
  digests: Pick<ConfigDigests, 'digestOfRecord'>;
  getRow: (id: string) => ConfigRow;
};

export const derivedId = (seed: string): string => idPrefix.installConfig + sha256Hex(seed).slice(0, 16);

/** Seals the configurations of installations. A sealed configuration never changes; another one succeeds it. */
export function createConfigDerivation({ clock, vault, store, digests, getRow }: Deps) {
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
  };
}
