import {
  createVault,
  type KeyRegistry,
  type KeyRing,
  masterKeyOf,
  newKeyBytes,
  type WrappedKey,
} from '../src/drivers/vault/index.ts';

type LooseKeyRegistry = KeyRegistry & { keys: WrappedKey[]; secrets: Map<string, Buffer> };

/** A registry in memory. Callbacks that normally run after a commit run at once. */
export function createLooseKeyRegistry(): LooseKeyRegistry {
  const keys: WrappedKey[] = [];
  const secrets = new Map<string, Buffer>();
  return {
    keys,
    secrets,
    findKey: (scope, version) => keys.find((row) => row.scope === scope && row.version === version),
    findNewestKey: (scope) => keys.findLast((row) => row.scope === scope),
    insertKey: (row) => void keys.push(row),
    findSecret: (purpose) => secrets.get(purpose),
    insertSecret: (purpose, sealed) => void secrets.set(purpose, sealed),
    write: (work) => work(),
    afterCommit: (work) => work(),
  };
}

/** An open vault whose keys end with the test. */
export function createLooseVault(registry: KeyRegistry = createLooseKeyRegistry(), master = newKeyBytes()): KeyRing {
  const vault = createVault(registry);
  vault.unlock(masterKeyOf(master));
  return vault;
}
