import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { faultFields, type Log } from '#server/kernel/log';
import type { Outbox } from '#server/kernel/outbox';
import { watchLimits } from '#shared/limits';
import type { SourcesStore } from './store.ts';
import type { SourceWatch } from './watch.ts';

const { pollMs, polledPerTick, tickGapMs } = watchLimits;

type Deps = {
  db: Db;
  clock: Clock;
  log: Log;
  outbox: Pick<Outbox, 'listen'>;
  store: Pick<SourcesStore, 'listDuePolls' | 'findNextPoll' | 'updateSource'>;
  watch: SourceWatch;
};

export type SyncSchedule = { start(): void; stop(): void };

/**
 * Syncs each watched Source once an hour, a few at a time. It has one timer, set to the next due Source, and none while
 * no Source is watched. The time of the last request is stored with the Source, so a restart changes nothing.
 */
export function createSyncSchedule({ db, clock, log, outbox, store, watch }: Deps): SyncSchedule {
  let timer: NodeJS.Timeout | undefined;
  let isStarted = false;
  /** Earliest next tick, on the monotonic clock. */
  let nextTickFrom = 0;

  function arm(): void {
    clearTimeout(timer);
    const next = store.findNextPoll(clock.now());
    if (!next) return;
    const due = next.polledAt === null ? 0 : next.polledAt + pollMs - clock.now();
    const delay = Math.max(due, nextTickFrom - performance.now(), 0);
    // However far the clock was set, the schedule runs again within the hour.
    timer = setTimeout(tick, Math.min(delay, pollMs));
    timer.unref();
  }

  function tick(): void {
    const now = clock.now();
    const polledCount = attempt(() => {
      const due = store.listDuePolls(now, polledPerTick);
      for (const { id } of due) {
        db.write(() => {
          store.updateSource(id, { polledAt: now });
          watch.syncLanes(id, 'schedule');
        });
      }
      return due.length;
    });
    // A tick without a due Source was early, because the clock was set.
    if (polledCount !== 0) nextTickFrom = performance.now() + tickGapMs;
    rearm();
  }

  function rearm(): void {
    if (attempt(arm) !== undefined || !isStarted) return;
    timer = setTimeout(rearm, tickGapMs);
    timer.unref();
  }

  /** Runs timer work without letting an error end the server. Returns undefined when it failed. */
  function attempt<T>(work: () => T): T | true | undefined {
    try {
      return work() ?? true;
    } catch (error) {
      log.error(faultFields(error), 'the sync schedule could not be updated');
      return undefined;
    }
  }

  const unsubscribe = outbox.listen(({ kind }) => {
    if ((kind === 'source' || kind === 'workspace') && isStarted) rearm();
  });
  return {
    start() {
      isStarted = true;
      tick();
    },
    stop() {
      isStarted = false;
      unsubscribe();
      clearTimeout(timer);
    },
  };
}
