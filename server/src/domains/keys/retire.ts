import { interimScope, interimVersion, type KeyRing, scopeOf } from '#server/drivers/vault/index';
import type { Db } from '#server/kernel/db';
import type { KeysStore } from './store.ts';

/** A key version that files outside the ledger's sealed columns still need: a plan's file, a Run's folder. */
export type KeyUse = { workspaceId: string; version: number };

type Deps = {
  db: Pick<Db, 'write' | 'emptyLog'>;
  store: KeysStore;
  vault: KeyRing;
  listUses: () => readonly KeyUse[];
};

/**
 * Removes every data key that is not the newest of its scope and that nothing needs any more; returns their number. Removes none during a
 * re-encryption, or while a value exists that opened with no key.
 */
export function retireKeys({ db, store, vault, listUses }: Deps): number {
  const job = store.findNewestJob();
  if (!job || job.finishedAt === null || job.unreadable > 0) return 0;
  const needed = new Set(
    listUses().map(({ workspaceId, version }) =>
      nameOf(version === interimVersion ? interimScope : scopeOf(workspaceId), version),
    ),
  );
  const keys = store.listKeys();
  const newest = new Map(keys.map(({ scope, version }) => [scope, version]));
  const isOld = (scope: string, version: number) => scope === interimScope || version !== newest.get(scope);
  const idle = keys.filter(({ scope, version }) => isOld(scope, version) && !needed.has(nameOf(scope, version)));
  if (idle.length === 0) return 0;
  store.overwriting(() =>
    db.write(() => {
      for (const { scope, version } of idle) {
        store.deleteKey(scope, version);
        vault.evict(scope, version);
      }
      store.rewriteKeys();
    }),
  );
  db.emptyLog();
  return idle.length;
}

const nameOf = (scope: string, version: number): string => `${version} ${scope}`;
