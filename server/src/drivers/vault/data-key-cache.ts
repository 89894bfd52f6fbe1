import { type MasterKey, newKeyBytes, unwrapKey, type WrappedKey, wrapKey } from './master-key.ts';

/** Data keys begin above the version of the interim key, so that a version alone tells which it is. */
const firstVersion = 2;

/** Where wrapped keys are kept: the ledger. */
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

/** Data keys by scope and version, unwrapped as they are asked for. `master` throws while there is none. */
export function createDataKeyCache(registry: KeyRegistry, master: () => MasterKey) {
  /** Only what has been committed: a key whose row was rolled back must never seal anything. */
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

  /** The newest key of a scope; the first one is made when it is asked for. */
  function newest(scope: string): { version: number; bytes: Buffer } {
    master();
    const first = () => add({ scope, version: firstVersion }, newKeyBytes());
    const row = registry.findNewestKey(scope) ?? registry.write(() => registry.findNewestKey(scope) ?? first());
    return { version: row.version, bytes: unwrap(row) };
  }

  return {
    newest,
    /** Throws for a key that has been removed. */
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
    /** Once the transaction has committed: one version of a scope, or all of it. */
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
