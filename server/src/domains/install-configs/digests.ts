import type { Vault } from '#server/drivers/vault/index';
import { canonicalJson, digestOf, hmacHex, jsonDigest } from '#server/kernel/digest';
import { failedPrecondition } from '#server/kernel/errors';
import { genericInstallConfigId } from '#shared/install-configs/contract';
import { parseExactly } from '#shared/kernel/exact-number';
import type { JsonObject } from '#shared/kernel/json';
import type { ConfigRow } from './store.ts';

type DigestVault = Pick<Vault, 'installationKey'> & {
  open(context: { table: string; row: string; column: string; workspaceId: string }, sealed: Buffer): Buffer;
};
type DigestedRow = Omit<ConfigRow, 'derived' | 'secrets' | 'digest' | 'createdAt' | 'updatedAt'>;

/** The address of a row's sealed values. */
export const secretsContext = (id: string, workspaceId: string | null) => ({
  table: 'install_configs',
  row: id,
  column: 'secrets',
  workspaceId: workspaceId ?? '',
});

/** Members of the built-in row that its first digest covered. */
export const genericRecord = {
  id: genericInstallConfigId,
  name: 'Plain OpenTofu module',
  modulePath: null,
  provenance: null,
  variableMapping: {},
  policy: {},
};

/** Digests of whole private records without timestamps. Secret values enter only as a MAC. */
export function createConfigDigests(vault: DigestVault) {
  const digestOfRecord = (row: DigestedRow, secrets: Buffer | undefined): string => {
    const { id, workspaceId, name, modulePath, policy, allOutputs, parts, provenance, variableMapping } = row;
    return jsonDigest({
      ...{ id, workspaceId, name, modulePath, policy, allOutputs, provenance, variableMapping },
      ...(parts && { parts }),
      secretVariables: row.secretVariables,
      secrets: secrets ? hmacHex(vault.installationKey('install-config-digest'), secrets) : null,
    });
  };
  const openSecretText = ({ id, workspaceId, secrets }: Pick<ConfigRow, 'id' | 'workspaceId' | 'secrets'>): string =>
    secrets === null ? '{}' : vault.open(secretsContext(id, workspaceId), secrets).toString();
  const openSecrets = (row: ConfigRow): JsonObject => parseExactly(openSecretText(row)) as JsonObject;

  /** Sealed values that do not open give a digest that no row has. */
  function digestNow(row: ConfigRow): string {
    if (row.id === genericInstallConfigId && isUntouchedGeneric(row)) return row.digest;
    try {
      const secrets = row.secrets === null ? undefined : Buffer.from(canonicalJson(openSecrets(row)));
      return digestOfRecord(row, secrets);
    } catch {
      return digestOf(`altered ${row.id}`);
    }
  }

  return {
    digestOfRecord,
    openSecretText,
    openSecrets,
    /** Returns the digest of a row as it is stored now, which differs from its `digest` when the row was altered. */
    digestNow,
    isIntact: (row: ConfigRow): boolean => digestNow(row) === row.digest,
  };
}

export type ConfigDigests = ReturnType<typeof createConfigDigests>;

/** 409 `capsule_install_config_rebind_conflict` for a row that was altered after it was sealed. */
export function requireIntact({ isIntact }: Pick<ConfigDigests, 'isIntact'>, row: ConfigRow): void {
  if (isIntact(row)) return;
  throw failedPrecondition(
    'capsule_install_config_rebind_conflict',
    'The configuration was altered in the ledger. Restore the ledger from a copy, or replace the configuration.',
  );
}

/** True when the built-in row is unchanged since the first start, and the members that its digest leaves out are empty. */
function isUntouchedGeneric(row: ConfigRow): boolean {
  const { id, name, modulePath, provenance, variableMapping, policy, digest } = row;
  const isPlain = row.parts === null && row.secrets === null && row.workspaceId === null && row.allOutputs;
  return (
    isPlain &&
    row.secretVariables.length === 0 &&
    digest === jsonDigest(genericRecord) &&
    jsonDigest({ id, name, modulePath, provenance, variableMapping, policy }) === digest
  );
}
