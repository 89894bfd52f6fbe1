import {
  createVault,
  interimScope,
  interimVersion,
  type KeyRing,
  KeySourceError,
  masterKeyOf,
  newKeyBytes,
  opensCanary,
  type Vault,
  type WrappedKey,
} from '#server/drivers/vault/index';
import type { LedgerView } from '#server/kernel/db';
import type { KeySources } from './sources.ts';
import { createKeysStore } from './store.ts';

/**
 * The vault of a ledger that is opened read-only, beside a running server or without one; it keeps the current data of the ledger in
 * memory. When its key is not available it is sealed, and `sealedBy` is the reason. `interim` is the key of an earlier version, for a
 * ledger without other keys.
 */
export async function viewVault(
  db: Pick<LedgerView, 'orm' | 'sqlite'>,
  { sources, interim }: { sources: KeySources; interim: () => Buffer | undefined },
): Promise<Vault> {
  const isNew = db.sqlite.prepare("SELECT 1 FROM sqlite_master WHERE name = 'master_keys'").get() !== undefined;
  const store = isNew ? createKeysStore(db, () => 0) : undefined;
  const active = store?.findMaster('active');
  if (!store || !active) return viewInterim(interim());
  const vault = createLooseVault(store.listKeys(), store.listSecrets());
  try {
    const key = await sources(active.source).read(active);
    if (!opensCanary(key, active.canary))
      throw new KeySourceError('key_wrong', 'The canary of the ledger does not open.');
    vault.unlock(key);
  } catch (error) {
    if (!(error instanceof KeySourceError)) throw error;
    vault.lock(error);
  }
  return vault;
}

/** The keys for which the interim key is used. */
function viewInterim(key: Buffer | undefined): Vault {
  const vault = createLooseVault([], []);
  if (!key) {
    vault.lock(new KeySourceError('key_missing', 'This data folder has no key.'));
    return vault;
  }
  vault.unlock(masterKeyOf(newKeyBytes()));
  vault.adopt({ scope: interimScope, version: interimVersion }, key);
  vault.carryOver(key);
  return vault;
}

/** A vault with storage in memory: additions are not written to the ledger. */
function createLooseVault(keys: WrappedKey[], secrets: readonly { purpose: string; sealed: Buffer }[]): KeyRing {
  const known = new Map(secrets.map(({ purpose, sealed }) => [purpose, sealed]));
  return createVault({
    findKey: (scope, version) => keys.find((row) => row.scope === scope && row.version === version),
    findNewestKey: (scope) => keys.findLast((row) => row.scope === scope),
    insertKey: (row) => void keys.push(row),
    findSecret: (purpose) => known.get(purpose),
    insertSecret: (purpose, sealed) => void known.set(purpose, sealed),
    write: (work) => work(),
    afterCommit: (work) => work(),
  });
}
