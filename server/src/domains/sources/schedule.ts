import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { createDeadline } from '#server/kernel/deadline';
import type { Log } from '#server/kernel/log';
import type { Outbox } from '#server/kernel/outbox';
import type { WorkGate } from '#server/kernel/work-gate';
import { watchLimits } from '#shared/limits';
import type { SourcesStore } from './store.ts';
import type { SourceWatch } from './watch.ts';

const { pollMs, polledPerTick, tickGapMs } = watchLimits;

type Deps = {
  db: Db;
  clock: Clock;
  log: Log;
  unattendedGate: WorkGate;
  outbox: Pick<Outbox, 'listen'>;
  store: Pick<SourcesStore, 'listDuePolls' | 'findNextPoll' | 'updateSource'>;
  watch: SourceWatch;
};

export type SyncSchedule = { start(): void; stop(): void };

/**
 * Syncs each watched Source once an hour, a few at a time. It has one timer, set to the next due Source, and none while
 * no Source is watched. The time of the last request is stored with the Source, so a restart changes nothing.
 */
export function createSyncSchedule({ db, clock, log, unattendedGate, outbox, store, watch }: Deps): SyncSchedule {
  let isStarted = false;
  /** Earliest next tick, on the monotonic clock. */
  let nextTickFrom = 0;

  function findNext(): number | undefined {
    const next = store.findNextPoll(clock.now());
    if (!next) return undefined;
    const due = next.polledAt === null ? 0 : next.polledAt + pollMs;
    return Math.max(due, clock.now() + nextTickFrom - performance.now());
  }

  function tick(now: number): void {
    const due = store.listDuePolls(now, polledPerTick);
    // A tick without a due Source was early, because the clock was set.
    if (due.length > 0) nextTickFrom = performance.now() + tickGapMs;
    for (const { id } of due) {
      db.write(() => {
        store.updateSource(id, { polledAt: now });
        watch.syncLanes(id, 'schedule');
      });
    }
  }

  const failure = 'the sync schedule could not be updated';
  const deadline = createDeadline({ clock, log, gate: unattendedGate, findNext, handlePast: tick, failure });

  const unsubscribe = outbox.listen(({ kind }) => {
    if ((kind === 'source' || kind === 'workspace') && isStarted) deadline.arm();
  });
  return {
    start() {
      isStarted = true;
      deadline.start();
    },
    stop() {
      isStarted = false;
      unsubscribe();
      void deadline.stop();
    },
  };
}
