import { type KeySource, type KeySourceKind, opensCanary } from '#server/drivers/vault/index';
import { type RecoveryKit, RecoveryKitError } from './recovery-kit.ts';
import type { MasterRow } from './store.ts';

type Folder = { installationId: string | undefined; active: MasterRow | undefined };

/** Throws `RecoveryKitError`, with the reason and the remedy, when a kit does not open a data folder. */
export function requireFit({ installationId, key, createdAt }: RecoveryKit, folder: Folder): MasterRow {
  const { active } = folder;
  if (!active || folder.installationId === undefined)
    throw new RecoveryKitError('This data folder has no key yet. Name the folder that the kit was made for.');
  if (installationId !== folder.installationId)
    throw new RecoveryKitError('This kit belongs to another installation. Use the kit of this one.');
  if (key.id !== active.id)
    throw new RecoveryKitError(
      `This kit of ${createdAt} is out of date for this folder: the key was changed between the two. Use a kit and a copy of the folder with no change of the key between them.`,
    );
  if (opensCanary(key, active.canary)) return active;
  throw new RecoveryKitError('The key is correct, but the ledger was altered. Restore a copy of it.');
}

/** Place of a restored key: where the ledger says; a key behind a passphrase is kept in a file from then on. */
export const restoredSource = ({ source }: MasterRow): KeySourceKind => (source === 'keychain' ? 'keychain' : 'file');

/** Stores the key of a kit and reads it back. Throws `KeySourceError`. */
export async function storeKitKey(kit: RecoveryKit, source: KeySource): Promise<void> {
  await source.store(kit.key);
  await source.read({ id: kit.key.id, params: null });
}
