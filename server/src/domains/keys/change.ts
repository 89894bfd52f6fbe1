import {
  type KeyRing,
  KeySourceError,
  type KeySourceKind,
  type MasterKey,
  opensCanary,
  sealCanary,
} from '#server/drivers/vault/index';
import type { Db } from '#server/kernel/db';
import { faultFields, type Log } from '#server/kernel/log';
import type { Secret } from '#server/kernel/secret';
import type { KeySources } from './sources.ts';
import type { KeyStep } from './steps.ts';
import type { KeysStore, MasterRow } from './store.ts';

type Deps = {
  db: Pick<Db, 'write' | 'emptyLog'>;
  log: Log;
  store: KeysStore;
  vault: KeyRing;
  sources: KeySources;
  passed: (step: KeyStep) => void;
};

/**
 * Changes the master key and its location. The new key is written to its source and read back before the ledger uses it; all data keys are
 * wrapped again in one transaction; only then is the old key removed.
 */
export function createKeyChange({ db, log, store, vault, sources, passed }: Deps) {
  /** Throws `KeySourceError` when the new key cannot be stored; then nothing has changed. */
  async function start(to: KeySourceKind, passphrase?: Secret): Promise<void> {
    const source = sources(to, passphrase);
    const { key, params, isNew } = await source.make({ reuse: false });
    passed('made');
    const row = { id: key.id, source: to, params, canary: sealCanary(key), made: isNew, keychainMissed: null };
    db.write(() => store.insertMaster({ ...row, state: 'incoming' }));
    passed('incoming');
    try {
      await finish(row, passphrase);
    } catch (error) {
      await abandon(row);
      throw error;
    }
    await removeOld();
  }

  type Incoming = Pick<MasterRow, 'id' | 'source' | 'params' | 'canary' | 'made'>;

  async function finish(row: Incoming, passphrase?: Secret): Promise<void> {
    const storedKey = await sources(row.source, passphrase).read(row);
    if (!opensCanary(storedKey, row.canary))
      throw new KeySourceError('key_wrong', 'The new key could not be read back unchanged.');
    passed('verified');
    rewrap(storedKey);
    passed('rewrapped');
  }

  function rewrap(to: MasterKey): void {
    store.overwriting(() =>
      db.write(() => {
        const old = store.findMaster('active');
        for (const row of store.listKeys()) store.replaceWrapping(vault.rewrap(row, to));
        store.rewriteKeys();
        if (old) store.setMasterState(old.id, 'leaving');
        store.setMasterState(to.id, 'active');
      }),
    );
    vault.unlock(to);
    db.emptyLog();
  }

  /** Removes a key that the ledger does not use from its source, if the source is available. */
  async function abandon({ id, source, made }: Incoming): Promise<void> {
    if (made) await sources(source).remove(id).catch(warn('a key that is not in use is still in its source'));
    db.write(() => store.deleteMaster(id));
  }

  /** A key that cannot be removed now is tried again at the next start. */
  async function removeOld(): Promise<void> {
    for (const row of store.listOtherMasters()) {
      if (row.state !== 'leaving') continue;
      try {
        if (row.made) await sources(row.source).remove(row.id);
        db.write(() => store.deleteMaster(row.id));
      } catch (error) {
        warn('the previous key is still in its source')(error);
      }
    }
    passed('removed');
  }

  const warn = (what: string) => (error: unknown) => log.warn(faultFields(error), what);

  /** Resumes a change that a previous start left incomplete: completed when the new key is available, otherwise undone. */
  async function settle(): Promise<void> {
    for (const row of store.listOtherMasters()) {
      if (row.state !== 'incoming') continue;
      try {
        await finish(row);
      } catch (error) {
        warn('a change of the key is undone')(error);
        await abandon(row);
      }
    }
    await removeOld();
  }

  return { start, settle };
}
