import type { KeyRing } from '#server/drivers/vault/index';
import type { Db } from '#server/kernel/db';
import { AppError } from '#server/kernel/errors';
import { removeLedgerCopies } from './encrypt-existing.ts';
import type { KeysStore } from './store.ts';

type Deps = {
  db: Db;
  store: Pick<KeysStore, 'overwriting' | 'findOpenJob' | 'deleteScope' | 'rewriteKeys'>;
  vault: Pick<KeyRing, 'evict'>;
  dataDir: string;
};

/** Deletes keys and sealed values so that nothing in the ledger's file can open them again. */
export function createErasure({ db, store, vault, dataDir }: Deps) {
  return {
    /**
     * Makes everything that is sealed for a Workspace permanently unreadable, by deleting its keys and the older copies of the ledger that
     * contain them. 409 `conflict` while values of it may still be sealed with the interim key.
     */
    shred(workspaceId: string): void {
      store.overwriting(() =>
        db.write(() => {
          if (store.findOpenJob())
            throw new AppError('conflict', 'A re-encryption is in progress. Try again when it has ended.');
          store.deleteScope(workspaceId);
          store.rewriteKeys();
          vault.evict(workspaceId);
          db.afterCommit(() => {
            db.emptyLog();
            removeLedgerCopies(dataDir);
          });
        }),
      );
    },

    /**
     * Runs a transaction whose deletions and replacements are overwritten in the ledger's file: a value of `sealSecret` that it deletes or
     * replaces cannot be opened afterwards with any key.
     */
    erase<T>(work: () => T): T {
      return store.overwriting(() =>
        db.write(() => {
          const result = work();
          db.emptyLog();
          return result;
        }),
      );
    },
  };
}
