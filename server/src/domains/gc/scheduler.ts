import type { Clock } from '#server/kernel/clock';
import { leastFreeBytes } from '#server/kernel/disk';
import type { Log } from '#server/kernel/log';
import type { Outbox } from '#server/kernel/outbox';
import type { WorkGate } from '#server/kernel/work-gate';
import { isTerminal } from '#shared/kernel/machine';
import type { RunStatus } from '#shared/runs/contract';
import { runMachine } from '#shared/runs/machine';
import type { GcStore } from './store.ts';
import type { Sweep } from './sweep.ts';

/** Minimum delay between the event that requests a sweep and its start: a person is likely to open a Run that just ended. */
const quietMs = 60_000;
/** Time between two sweeps. */
const betweenMs = 3_600_000;
/** Time between two sweeps while the disk is nearly full. */
const betweenLowMs = 300_000;
/** A sweep that has waited this long starts although a Run is running, so that a server that is never idle is swept too. */
const patienceMs = 4 * betweenMs;
/** Twice the free space below which no apply starts. */
const lowBytes = 2 * leastFreeBytes;

export type GcScheduler = {
  start(): void;
  /** Ends a sweep in progress early and waits for it. */
  stop(): Promise<void>;
};

type Deps = {
  sweep: Sweep;
  store: Pick<GcStore, 'isAnyRunning'>;
  outbox: Pick<Outbox, 'listen'>;
  freeBytes: () => number;
  clock: Clock;
  log: Log;
  workGate: WorkGate;
};

/**
 * Schedules sweeps of the data folder: after the start and after Runs have ended, when the server is idle, at most once an hour. A nearly full
 * disk is swept sooner, and although Runs are running. Uses one timer, set by events.
 */
export function createGcScheduler({ sweep, store, outbox, freeBytes, clock, log, workGate }: Deps): GcScheduler {
  const stopping = new AbortController();
  let isStarted = false;
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  let underWay: Promise<void> | undefined;
  let requestedAt: number | undefined;
  let sweptAt = Number.NEGATIVE_INFINITY;

  const isDiskLow = () => {
    try {
      return freeBytes() < lowBytes;
    } catch {
      return false;
    }
  };

  function schedule(): void {
    if (stopping.signal.aborted || !workGate.mayAct() || underWay !== undefined) return;
    const now = clock.now();
    requestedAt ??= now;
    const waits = sweptAt + (isDiskLow() ? betweenLowMs : betweenMs) - now;
    // A clock that was set back must not delay a sweep beyond the maximum.
    const delay = Math.min(Math.max(waits, quietMs), betweenMs);
    // Events in quick succession must not delay a sweep forever.
    if (performance.now() + delay >= dueAt) return;
    clearTimeout(timer);
    dueAt = performance.now() + delay;
    timer = setTimeout(startSweep, delay);
    timer.unref();
  }

  function startSweep(): void {
    dueAt = Number.POSITIVE_INFINITY;
    if (!workGate.mayAct()) return;
    const isLow = isDiskLow();
    const waited = clock.now() - (requestedAt ?? clock.now());
    // The end of the Run that is running requests a sweep again.
    if (!isLow && waited < patienceMs && isBusy()) return;
    requestedAt = undefined;
    underWay = work(isLow).finally(() => {
      underWay = undefined;
      sweptAt = clock.now();
    });
  }

  /** An error in a timer must not end the server. */
  function isBusy(): boolean {
    try {
      return store.isAnyRunning();
    } catch {
      return true;
    }
  }

  async function work(isLow: boolean): Promise<void> {
    const startedAt = performance.now();
    const { removed, freedBytes } = await sweep({ isDiskLow: isLow, signal: stopping.signal, mayAct: workGate.mayAct });
    const ms = Math.round(performance.now() - startedAt);
    log.info({ removed, freedBytes, ms, ...(isLow && { isDiskLow: true }) }, 'the data folder was swept');
  }

  workGate.onOpen(() => {
    if (isStarted) schedule();
  });
  const unsubscribe = outbox.listen(({ kind, status }) => {
    if (kind === 'run' && status !== undefined && isTerminal(runMachine, status as RunStatus)) schedule();
  });
  return {
    start() {
      isStarted = true;
      schedule();
    },
    async stop() {
      unsubscribe();
      stopping.abort();
      clearTimeout(timer);
      await underWay;
    },
  };
}
