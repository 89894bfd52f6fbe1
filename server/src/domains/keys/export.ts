import { type KeySourceKind, masterKeyOf } from '#server/drivers/vault/index';
import type { KeySources } from './sources.ts';
import type { KeysStore } from './store.ts';

/** A master key outside its storage; `key` is base64. */
export type ExportedKey = { id: string; key: string };

type Stored = { store: Pick<KeysStore, 'findMaster' | 'listOtherMasters'>; sources: KeySources };

/**
 * Returns the stored master keys of a ledger: the one in use, and during a change the other one. A key that is derived
 * from a passphrase is not among them. Throws `KeySourceError` when the key in use is not available.
 */
export async function exportKeys({ store, sources }: Stored): Promise<ExportedKey[]> {
  const active = store.findMaster('active');
  const rows = [...(active ? [active] : []), ...store.listOtherMasters()];
  const keys = rows.map(async (row) => {
    if (row.source === 'passphrase') return [];
    const key = sources(row.source).read(row);
    // The other key of a change may be removed already.
    const found = row.state === 'active' ? await key : await key.catch(() => undefined);
    return found ? [{ id: found.id, key: found.bytes.toString('base64') }] : [];
  });
  return (await Promise.all(keys)).flat();
}

/** Stores exported keys in a source of this machine. Throws `KeySourceError`. */
export async function storeKeys(keys: readonly ExportedKey[], kind: KeySourceKind, sources: KeySources): Promise<void> {
  for (const { key } of keys) await sources(kind).store(masterKeyOf(Buffer.from(key, 'base64')));
}
