import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import type { Outbox } from '#server/kernel/outbox';
import type { Cursors } from '#server/kernel/page';
import { createChangesStore } from './changes-store.ts';
import { createFeedStore } from './feed-store.ts';
import { createRunListeners } from './listeners.ts';
import { createRunMoves } from './moves.ts';
import { createRunQueries } from './queries.ts';
import type { RunView } from './record.ts';
import { createRunsStore } from './store.ts';
import { createRunWaits } from './waits.ts';

export type RunsService = ReturnType<typeof createRunsService>;

type Deps = { db: Db; clock: Clock; outbox: Outbox; cursors: Cursors };

/** The ledger of Runs and their transitions. It does not depend on how Runs execute. */
export function createRunsService({ db, clock, outbox, cursors }: Deps) {
  const store = createRunsStore(db);
  const feed = createFeedStore(db);
  const listeners = createRunListeners(db);
  const viewNow = (): RunView => ({ now: clock.now(), findNewerPlan: store.findNewerPlan });

  const queries = createRunQueries({ clock, cursors, store, changes: createChangesStore(db), viewNow });
  const { onCreating, onLeave, onMoving, onMoved, onStop, onFeed, requestStop } = listeners;

  return {
    feed,
    store,
    onCreating,
    onLeave,
    onMoving,
    onMoved,
    onStop,
    onFeed,
    requestStop,
    ...queries,
    findFirstCreator: store.findFirstCreator,
    ...createRunMoves({ db, clock, outbox, store, feed, listeners, viewNow }),
    ...createRunWaits({ listeners, getRecord: queries.getRecord }),
  };
}
