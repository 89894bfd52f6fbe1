import { type MasterKey, newKeyBytes, unwrapKey, type WrappedKey, wrapKey } from './master-key.ts';

/**
 * First version of a data key. It is above the version of the interim key, so that a version alone identifies the kind
 * of key.
 */
const firstVersion = 2;

/** Storage of wrapped keys: the ledger. */
export type KeyRegistry = {
  findKey(scope: string, version: number): WrappedKey | undefined;
  findNewestKey(scope: string): WrappedKey | undefined;
  insertKey(row: WrappedKey): void;
  findSecret(purpose: string): Buffer | undefined;
  insertSecret(purpose: string, sealed: Buffer): void;
  write<T>(work: () => T): T;
  /** Runs after the outermost transaction has committed, never when it rolls back. */
  afterCommit(work: () => void): void;
};

export type DataKeyCache = ReturnType<typeof createDataKeyCache>;

/**
 * Caches data keys by scope and version; they are unwrapped on first use. `master` throws while the vault is sealed.
 */
export function createDataKeyCache(registry: KeyRegistry, master: () => MasterKey) {
  /** Only committed keys: a key whose row was rolled back must never seal anything. */
  const known = new Map<string, Buffer>();
  const nameOf = (scope: string, version: number) => `${version} ${scope}`;

  function unwrap(row: WrappedKey): Buffer {
    const name = nameOf(row.scope, row.version);
    const there = known.get(name);
    if (there) return there;
    const bytes = unwrapKey(row, master());
    registry.afterCommit(() => known.set(name, bytes));
    return bytes;
  }

  function add(name: { scope: string; version: number }, bytes: Buffer): WrappedKey {
    const row = wrapKey(name, bytes, master());
    registry.insertKey(row);
    return row;
  }

  /** Returns the newest key of a scope; the first one is created on demand. */
  function newest(scope: string): { version: number; bytes: Buffer } {
    master();
    const first = () => add({ scope, version: firstVersion }, newKeyBytes());
    const row = registry.findNewestKey(scope) ?? registry.write(() => registry.findNewestKey(scope) ?? first());
    return { version: row.version, bytes: unwrap(row) };
  }

  return {
    newest,
    /** Returns a key; throws for one that has been removed. */
    get(scope: string, version: number): Buffer {
      master();
      const there = known.get(nameOf(scope, version));
      if (there) return there;
      const row = registry.findKey(scope, version);
      if (row) return unwrap(row);
      throw new Error('This was sealed with a key that has been removed.');
    },
    add,
    renew(scope: string): number {
      const version = newest(scope).version + 1;
      add({ scope, version }, newKeyBytes());
      return version;
    },
    /** Evicts one version of a scope, or all of it, once the transaction has committed. */
    evict(scope: string, version?: number): void {
      registry.afterCommit(() => {
        for (const name of [...known.keys()]) {
          const isIt = version === undefined ? name.endsWith(` ${scope}`) : name === nameOf(scope, version);
          if (isIt) known.delete(name);
        }
      });
    },
    clear: (): void => known.clear(),
  };
}
