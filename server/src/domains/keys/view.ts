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
 * The vault of a ledger that is only looked at, beside a running server or without one; it holds in memory what the ledger
 * says now. When its key cannot be had it is sealed, and `sealedBy` says why. `interim` is the key of an earlier version,
 * for a ledger that has no other yet.
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

/** The keys that the interim key stands for. */
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

/** A vault whose shelf is memory: what is added to it stays there. */
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
