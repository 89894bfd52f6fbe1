import { KeySourceError, type KeySourceKind, type MasterKey, opensCanary } from '#server/drivers/vault/index';
import { faultFields } from '#server/kernel/log';
import type { Secret } from '#server/kernel/secret';
import { StartError } from '#server/kernel/start-error';
import { createKeyChange } from './change.ts';
import { createFirstKey, type MasterKeyManagerDeps } from './first-key.ts';
import type { MasterRow } from './store.ts';

export type MasterKeyManager = ReturnType<typeof createMasterKeyManager>;

/** Opens the vault, makes its first key, and changes it. One of these at a time. */
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
    throw new KeySourceError('key_wrong', 'The key is the right one and the ledger is not: its canary does not open.');
  }

  async function open(passphrase?: Secret): Promise<void> {
    const active = store.findMaster('active');
    if (!active) return firstKey(passphrase);
    vault.unlock(await read(active, passphrase));
    await change.settle();
  }

  /** Whatever was made in a transaction that failed is no key. */
  function staySealed(error: unknown): void {
    const isKnown = error instanceof KeySourceError;
    vault.lock(isKnown ? error : new KeySourceError('key_missing', 'The vault could not be opened.'));
    if (!isKnown) throw error;
    const waitsForPerson = error.reason === 'passphrase_required';
    if (!waitsForPerson && !store.findMaster('active')) throw new StartError(error.message);
  }

  return {
    /**
     * Opens the vault if its key can be had; else it stays sealed and says why. Throws `StartError` where a first key
     * cannot be made.
     */
    open: (passphrase?: Secret): Promise<void> =>
      alone(async () => {
        if (!vault.sealedBy) return;
        await open(passphrase).catch(staySealed);
      }),

    /** Whether the source still gives the key that is in use; a typed passphrase is kept nowhere and taken on trust. */
    verify: (): Promise<boolean> =>
      alone(async () => {
        const active = store.findMaster('active');
        try {
          return active !== undefined && (active.source === 'passphrase' || (await read(active)).id === active.id);
        } catch (error) {
          log.warn(faultFields(error), 'the key of the vault cannot be read from its place');
          return false;
        }
      }),

    changeKey: (to: KeySourceKind, passphrase?: Secret): Promise<void> => alone(() => change.start(to, passphrase)),
    findActive: (): MasterRow | undefined => store.findMaster('active'),
    keyLocationOf: (row: MasterRow): string => sources(row.source).keyLocation,
  };
}
