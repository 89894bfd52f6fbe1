import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { failedPrecondition } from '#server/kernel/errors';
import type { Capsule } from '#shared/capsules/contract';
import { limits } from '#shared/limits';
import type { CapsuleRecords } from './record.ts';
import type { CapsuleRow, CapsulesStore } from './store.ts';

type Deps = {
  db: Db;
  clock: Clock;
  store: Pick<CapsulesStore, 'insertFavorite' | 'deleteFavorite' | 'listFavorites'>;
  records: Pick<CapsuleRecords, 'capsuleOf'>;
  getRow: (id: string) => CapsuleRow;
};

/** Capsules that an account sees first. They change nothing for others, so the history does not record them. */
export const createFavorites = ({ db, clock, store, records, getRow }: Deps) => ({
  listFavorites: (accountId: string, workspaceId: string): Capsule[] =>
    store.listFavorites(accountId, workspaceId).map(records.capsuleOf),

  /** Adds a favorite; repeating it changes nothing. 409 `favorites_full`. */
  addFavorite(accountId: string, capsuleId: string): void {
    db.write(() => {
      const { workspaceId } = getRow(capsuleId);
      const others = store.listFavorites(accountId, workspaceId).filter(({ id }) => id !== capsuleId);
      if (others.length >= limits.favorites)
        throw failedPrecondition(
          'favorites_full',
          `You already have ${limits.favorites} favorites in this Workspace. Remove one, then add this Capsule.`,
        );
      store.insertFavorite({ accountId, capsuleId, workspaceId, createdAt: clock.now() });
    });
  },

  removeFavorite: (accountId: string, capsuleId: string): void =>
    db.write(() => store.deleteFavorite(accountId, capsuleId)),
});
