import { createActivityService } from '../domains/activity/index.ts';
import {
  createKeysStore,
  keyRegistryOf,
  type RecoveryKit,
  RecoveryKitError,
  requireFit,
  restoredSource,
  storeKitKey,
} from '../domains/keys/index.ts';
import { createVault } from '../drivers/vault/index.ts';
import { systemClock } from '../kernel/clock.ts';
import { type Db, lockDataDir, openDb, viewLedger } from '../kernel/db.ts';
import { findInstallationId } from '../kernel/installation.ts';
import { noLedgerMessage } from '../kernel/ledger-file.ts';
import { createCursors } from '../kernel/page.ts';
import type { Settings } from '../kernel/settings.ts';
import { keySourcesOf } from './key-host.ts';

type KeySettings = Pick<Settings, 'dataDir' | 'keyFile' | 'passphraseFile'>;

/** Throws `RecoveryKitError` when a kit does not open a data folder. Changes nothing. */
export function checkKit(dataDir: string, kit: RecoveryKit): void {
  const ledger = viewLedger(dataDir);
  if (!ledger) throw new RecoveryKitError(noLedgerMessage);
  try {
    const active = createKeysStore(ledger, systemClock.now).findMaster('active');
    requireFit(kit, { installationId: findInstallationId(ledger), active });
  } finally {
    ledger.close();
  }
}

/**
 * Stores the key of a kit where this machine keeps keys, and returns that place. Throws `RecoveryKitError`, and
 * `KeySourceError` when the key cannot be stored. It can be repeated.
 */
export async function restoreKey(settings: KeySettings, kit: RecoveryKit): Promise<string> {
  const { dataDir } = settings;
  checkKit(dataDir, kit);
  const lock = lockDataDir(dataDir);
  if (!lock) throw new RecoveryKitError('A server uses this data folder. Stop it first.');
  const db = openDb(dataDir, () => undefined);
  try {
    const store = createKeysStore(db, systemClock.now);
    const active = requireFit(kit, { installationId: findInstallationId(db), active: store.findMaster('active') });
    const source = keySourcesOf(kit.installationId, settings, { nodePath: process.execPath })(restoredSource(active));
    await storeKitKey(kit, source);
    record(db, kit, () => {
      if (source.kind !== active.source) store.setMasterSource(active.id, source.kind);
    });
    return source.keyLocation;
  } finally {
    db.close();
    lock.release();
  }
}

/** Records that a key was put back, in the transaction of the change. */
function record(db: Db, kit: RecoveryKit, change: () => void): void {
  const vault = createVault(keyRegistryOf(db, createKeysStore(db, systemClock.now)));
  vault.unlock(kit.key);
  const installationKey = () => vault.installationKey('audit');
  const activity = createActivityService({ db, clock: systemClock, cursors: createCursors(''), installationKey });
  db.write(() => {
    change();
    activity.record({
      actorId: 'operator',
      action: 'vault.key_restored',
      targetType: 'vault',
      targetId: 'vault',
      metadata: { keyId: kit.key.id },
    });
  });
}
