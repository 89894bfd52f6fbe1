import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import {
  interimInstallationKey,
  interimKeyFile,
  interimScope,
  interimVersion,
  type KeyRing,
  readInterimKey,
} from '#server/drivers/vault/index';
import { syncFolder } from '#server/kernel/disk';
import { StartError } from '#server/kernel/start-error';
import type { KeysStore } from './store.ts';

/** Evidence of the key in a ledger of the first versions: the head of its trail is sealed with a key derived from it. */
type InterimEvidence = { isUsed: boolean; isRight: (installationKey: (purpose: string) => string) => boolean };

/**
 * The key file of the first versions, if this data folder has one. Throws `StartError` when its ledger needs one and it is missing,
 * damaged or another one: a new key could not open existing data.
 */
export function findInterimKey(dataDir: string, { isUsed, isRight }: InterimEvidence): Buffer | undefined {
  const key = readInterimKey(dataDir);
  if (!isUsed) return key;
  if (!key) {
    throw new StartError(
      'The key file keys/data.key of this data folder is missing, and sealed data does not open with any other. Restore a copy of it.',
    );
  }
  if (isRight((purpose) => interimInstallationKey(key, purpose).toString('hex'))) return key;
  throw new StartError(
    'The key file keys/data.key is not the one this data folder was sealed with. Restore a copy of that one.',
  );
}

/**
 * Takes the interim key into the ledger, sealed: from here on it is an ordinary data key, and all values are re-encrypted with newer keys.
 * In the caller's transaction.
 */
export function keepInterim(key: Buffer, { store, vault }: { store: KeysStore; vault: KeyRing }): void {
  vault.adopt({ scope: interimScope, version: interimVersion }, key);
  vault.carryOver(key);
  store.insertJob('retrofit');
}

/** Removes the interim key file, and the copies of the ledger with values sealed with it. */
export function removeInterimFiles(dataDir: string): void {
  const file = interimKeyFile(dataDir);
  if (existsSync(file)) {
    rmSync(file);
    syncFolder(path.dirname(file));
  }
  removeLedgerCopies(dataDir);
}

/** Removes the copies that were made before migrations, because they still contain erased and re-encrypted values. */
export function removeLedgerCopies(dataDir: string): void {
  const folder = path.join(dataDir, 'ledger-copies');
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) rmSync(path.join(folder, name), { force: true });
  syncFolder(folder);
}
