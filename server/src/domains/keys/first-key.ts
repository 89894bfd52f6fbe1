import {
  type KeyRing,
  type KeySource,
  KeySourceError,
  type KeySourceKind,
  sealCanary,
} from '#server/drivers/vault/index';
import type { Db } from '#server/kernel/db';
import type { Log } from '#server/kernel/log';
import type { Secret } from '#server/kernel/secret';
import { keepInterim } from './encrypt-existing.ts';
import type { KeySources } from './sources.ts';
import type { KeyStep } from './steps.ts';
import type { KeysStore } from './store.ts';

export type MasterKeyManagerDeps = {
  db: Pick<Db, 'write' | 'emptyLog'>;
  log: Log;
  store: KeysStore;
  vault: KeyRing;
  sources: KeySources;
  /** Location of the key at a first start. `keychain` with `orFile` falls back to a file where no keychain is available. */
  wanted: { kind: KeySourceKind; orFile: boolean };
  /** The key of an earlier version, when this data folder has one. Throws `StartError`. */
  interim: () => Buffer | undefined;
  /** Called after each step, where a crash must not lose data. */
  passed?: (step: KeyStep) => void;
};
type Deps = Omit<MasterKeyManagerDeps, 'passed'> & { passed: NonNullable<MasterKeyManagerDeps['passed']> };

/** Creates the first key of an installation, and takes over that of an earlier version. Throws `KeySourceError` and `StartError`. */
export function createFirstKey({ db, log, store, vault, sources, wanted, interim: findInterim, passed }: Deps) {
  return async (passphrase?: Secret): Promise<void> => {
    // Read first: a damaged key is reported before anything is created.
    const interim = findInterim();
    const { source, missed } = await choose(passphrase);
    const { key, params, isNew } = await source.make({ reuse: true });
    passed('made');
    db.write(() => {
      store.insertMaster({
        id: key.id,
        source: source.kind,
        state: 'active',
        params,
        canary: sealCanary(key),
        made: isNew,
        keychainMissed: missed ?? null,
      });
      vault.unlock(key);
      if (interim) keepInterim(interim, { store, vault });
    });
    passed('started');
    log.info({ keySource: source.kind, keyLocation: source.keyLocation }, 'the vault has its first key');
  };

  /** Probes the keychain before using it: where none is available, the key is stored in a file, which is logged. */
  async function choose(passphrase?: Secret): Promise<{ source: KeySource; missed?: KeySourceError['reason'] }> {
    const source = sources(wanted.kind, passphrase);
    if (wanted.kind !== 'keychain' || !wanted.orFile) return { source };
    try {
      const createdKey = await source.make({ reuse: true });
      return { source: { ...source, make: async () => createdKey } };
    } catch (error) {
      if (!(error instanceof KeySourceError)) throw error;
      log.warn({ reason: error.reason }, `the key of the vault is stored in a file: ${error.message}`);
      return { source: sources('file'), missed: error.reason };
    }
  }
}
