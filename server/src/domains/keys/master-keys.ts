import { KeySourceError, type KeySourceKind, type MasterKey, opensCanary } from '#server/drivers/vault/index';
import { faultFields } from '#server/kernel/log';
import type { Secret } from '#server/kernel/secret';
import { StartError } from '#server/kernel/start-error';
import { createKeyChange } from './change.ts';
import { type ExportedKey, exportKeys } from './export.ts';
import { createFirstKey, type MasterKeyManagerDeps } from './first-key.ts';
import type { MasterRow } from './store.ts';

export type MasterKeyManager = ReturnType<typeof createMasterKeyManager>;

/** Opens the vault, creates its first key, and changes it. One of these operations at a time. */
export function createMasterKeyManager(deps: MasterKeyManagerDeps) {
  const { log, store, vault, sources, passed = () => {} } = deps;
  const change = createKeyChange({ ...deps, passed });
  const firstKey = createFirstKey({ ...deps, passed });
  let last: Promise<unknown> = Promise.resolve();

  function alone<T>(work: () => Promise<T>): Promise<T> {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  }

  /** The master key of a row, from its source. Throws `KeySourceError`. */
  async function read(row: MasterRow, passphrase?: Secret): Promise<MasterKey> {
    const key = await sources(row.source, passphrase).read(row);
    if (opensCanary(key, row.canary)) return key;
    throw new KeySourceError(
      'key_wrong',
      'The key is correct, but the canary of the ledger does not open: the ledger was altered. Restore a copy of it.',
    );
  }

  async function open(passphrase?: Secret): Promise<void> {
    const active = store.findMaster('active');
    if (!active) return firstKey(passphrase);
    vault.unlock(await read(active, passphrase));
    await change.settle();
  }

  /** Locks the vault after a failure, because a key created in a transaction that failed must not be used. */
  function staySealed(error: unknown): void {
    const isKnown = error instanceof KeySourceError;
    vault.lock(isKnown ? error : new KeySourceError('key_missing', 'The vault could not be opened.'));
    if (!isKnown) throw error;
    const waitsForPerson = error.reason === 'passphrase_required';
    if (!waitsForPerson && !store.findMaster('active')) throw new StartError(error.message);
  }

  return {
    /**
     * Opens the vault if its key is available; otherwise it stays sealed and records the reason. Throws `StartError` where a first key
     * cannot be created.
     */
    open: (passphrase?: Secret): Promise<void> =>
      alone(async () => {
        if (!vault.sealedBy) return;
        await open(passphrase).catch(staySealed);
      }),

    /** True when the source still provides the key in use; a typed passphrase is stored nowhere, so it cannot be checked. */
    verify: (): Promise<boolean> =>
      alone(async () => {
        const active = store.findMaster('active');
        try {
          return active !== undefined && (active.source === 'passphrase' || (await read(active)).id === active.id);
        } catch (error) {
          log.warn(faultFields(error), 'the key of the vault cannot be read from its source');
          return false;
        }
      }),

    changeKey: (to: KeySourceKind, passphrase?: Secret): Promise<void> => alone(() => change.start(to, passphrase)),
    /** The stored keys, for a backup. Throws `KeySourceError`. */
    exportKeys: (): Promise<ExportedKey[]> => alone(() => exportKeys({ store, sources })),
    findActive: (): MasterRow | undefined => store.findMaster('active'),
    keyLocationOf: (row: MasterRow): string => sources(row.source).keyLocation,
  };
}
