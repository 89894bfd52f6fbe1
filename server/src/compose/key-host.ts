import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { createActivityStore, headMac } from '../domains/activity/index.ts';
import {
  createKeySources,
  createKeysStore,
  createMasterKeyManager,
  findInterimKey,
  type KeySources,
  type KeysStore,
  keyRegistryOf,
  type MasterKeyManager,
  viewVault,
} from '../domains/keys/index.ts';
import { createVault, type KeyRing, type Vault } from '../drivers/vault/index.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Db, LedgerView } from '../kernel/db.ts';
import { entryFile } from '../kernel/entry.ts';
import { findInstallationId, readInstallationId } from '../kernel/installation.ts';
import type { Log } from '../kernel/log.ts';
import type { Environment, Settings } from '../kernel/settings.ts';
import { runTool } from '../runner/index.ts';

type KeyHost = {
  settings: Pick<Settings, 'dataDir' | 'keySource' | 'keyFile' | 'passphraseFile'>;
  log: Log;
  clock: Clock;
  prefersKeychain: boolean;
  /** The Node that the keychain's child runs in. */
  nodePath: string;
};

/** Where this machine keeps keys for a data folder. */
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

/** The vault of this ledger: open when its key can be had, else sealed. Throws `StartError` where a first key cannot be made. */
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

/** The vault of a ledger that is only looked at; where its key cannot be had it is sealed and says why. */
export const viewKeys = (db: LedgerView, settings: KeyHost['settings'], nodePath = process.execPath): Promise<Vault> =>
  viewVault(db, {
    sources: keySourcesOf(findInstallationId(db) ?? '', settings, { nodePath }),
    interim: () => findInterimKey(settings.dataDir, evidenceOf(db)),
  });

function evidenceOf(db: Pick<LedgerView, 'orm'>) {
  const head = createActivityStore(db).findHead();
  return {
    isUsed: head !== undefined,
    isRight: (keyOf: (purpose: string) => string) =>
      head?.mac === headMac(keyOf('audit'), head ?? { seq: 0, hash: '' }),
  };
}
