import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { createActivityStore, headMac } from '../domains/activity/index.ts';
import {
  createKeySources,
  createKeysStore,
  createMasterKeyManager,
  type ExportedKey,
  exportKeys,
  findInterimKey,
  type KeySources,
  type KeysStore,
  keyRegistryOf,
  type MasterKeyManager,
  viewVault,
} from '../domains/keys/index.ts';
import { createVault, type KeyRing, type Vault } from '../drivers/vault/index.ts';
import type { Clock } from '../kernel/clock.ts';
import { type Db, type LedgerView, pendingMigrations, viewLedger } from '../kernel/db.ts';
import { entryFile } from '../kernel/entry.ts';
import { findInstallationId, readInstallationId } from '../kernel/installation.ts';
import { noLedgerMessage } from '../kernel/ledger-file.ts';
import type { Log } from '../kernel/log.ts';
import type { Environment, Settings } from '../kernel/settings.ts';
import { StartError } from '../kernel/start-error.ts';
import { runTool } from '../runner/index.ts';

type KeyHost = {
  settings: Pick<Settings, 'dataDir' | 'keySource' | 'keyFile' | 'passphraseFile'>;
  log: Log;
  clock: Clock;
  prefersKeychain: boolean;
  /** Path of the Node that runs the keychain's child process. */
  nodePath: string;
};

/** Returns the key stores of this machine for a data folder. */
export const keySourcesOf = (
  installationId: string,
  { keyFile, passphraseFile }: Pick<Settings, 'keyFile' | 'passphraseFile'>,
  { nodePath, env = process.env }: { nodePath: string; env?: Environment },
): KeySources =>
  createKeySources({
    installationId,
    keyFile,
    passphraseFile,
    env,
    home: homedir(),
    keychain: { run: runTool, nodePath, entry: entryFile('keychain-child') },
  });

/**
 * Opens the vault of this ledger, or leaves it sealed when its key is not available. Throws `StartError` when a first
 * key cannot be created.
 */
export async function openKeys(
  db: Db,
  { settings, log, clock, prefersKeychain, nodePath }: KeyHost,
): Promise<{ vault: KeyRing; masterKeys: MasterKeyManager; keysStore: KeysStore }> {
  const keysStore = createKeysStore(db, clock.now);
  const vault = createVault(keyRegistryOf(db, keysStore));
  const masterKeys = createMasterKeyManager({
    db,
    log,
    store: keysStore,
    vault,
    sources: keySourcesOf(readInstallationId(db, randomUUID), settings, { nodePath }),
    wanted: {
      kind: settings.keySource ?? (prefersKeychain ? 'keychain' : 'file'),
      orFile: settings.keySource === undefined,
    },
    interim: () => findInterimKey(settings.dataDir, evidenceOf(db)),
  });
  await masterKeys.open();
  return { vault, masterKeys, keysStore };
}

/** Opens the vault of a read-only ledger. It stays sealed, with the reason, when its key is not available. */
export const viewKeys = (db: LedgerView, settings: KeyHost['settings'], nodePath = process.execPath): Promise<Vault> =>
  viewVault(db, {
    sources: keySourcesOf(findInstallationId(db) ?? '', settings, { nodePath }),
    interim: () => findInterimKey(settings.dataDir, evidenceOf(db)),
  });

/**
 * Returns the stored master keys of a data folder that no server uses. Throws `KeySourceError`, and `StartError` for a
 * ledger of another version.
 */
export async function exportStoredKeys(
  settings: KeyHost['settings'],
  nodePath = process.execPath,
): Promise<ExportedKey[]> {
  const ledger = viewLedger(settings.dataDir);
  if (ledger === undefined) throw new StartError(noLedgerMessage);
  try {
    if (pendingMigrations(ledger.sqlite) !== 0)
      throw new StartError(
        'The ledger was written by another version than this one. Use that version, or start this one on it once.',
      );
    const sources = keySourcesOf(findInstallationId(ledger) ?? '', settings, { nodePath });
    return await exportKeys({ store: createKeysStore(ledger, () => 0), sources });
  } finally {
    ledger.close();
  }
}

function evidenceOf(db: Pick<LedgerView, 'orm'>) {
  const head = createActivityStore(db).findHead();
  return {
    isUsed: head !== undefined,
    isRight: (keyOf: (purpose: string) => string) =>
      head?.mac === headMac(keyOf('audit'), head ?? { seq: 0, hash: '' }),
  };
}
