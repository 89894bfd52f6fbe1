import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '#server/kernel/clock';
import { isLedgerFault } from '#server/kernel/db';
import { createDeadline } from '#server/kernel/deadline';
import { failpoint } from '#server/kernel/failpoints';
import { faultFields, type Log } from '#server/kernel/log';
import type { Outbox } from '#server/kernel/outbox';
import { limits } from '#shared/limits';
import type { RunType } from '#shared/runs/contract';
import type { RunsService } from './service.ts';
import type { RunRecord } from './store.ts';

/** What the background does with Runs of some types. Both ways end with the Run moved, or the promise rejected. */
export type Job = {
  types: readonly RunType[];
  /** How many of these Runs go on side by side. */
  concurrency: number;
  /** Begins a Run that was just claimed. */
  execute(run: RunRecord, signal: AbortSignal): Promise<void>;
  /** Takes up a Run that was running when the server stopped. */
  resume(run: RunRecord, signal: AbortSignal): Promise<void>;
  /** Asks a running one to end; the Run moves when it has. */
  cancel(run: RunRecord): void;
  /** Moves a Run whose job rejected, so that none stays running. */
  fault(run: RunRecord, error: unknown): void;
};

export type RunQueue = {
  /** Takes up what was running, then claims what waits. */
  start(): void;
  cancel(run: RunRecord): void;
  /** Leaves running Runs to their supervisors and waits until nothing writes to the ledger any more. */
  stop(): Promise<void>;
};

type Deps = { runs: RunsService; outbox: Outbox; clock: Clock; log: Log; jobs: readonly Job[] };

/** How long a Run waits before it is taken up again when the ledger took no write. */
const ledgerPauseMs = 5_000;

/** Claims queued Runs, oldest first, whenever a Run was made or has ended; no timer fires while nothing runs. */
export function createRunQueue({ runs, outbox, clock, log, jobs }: Deps): RunQueue {
  const stopping = new AbortController();
  const busy = new Map<Job, Set<Promise<void>>>(jobs.map((job) => [job, new Set()]));
  let waking = false;

  /** Until the Run has moved, or the server stops. A job that rejects for another reason than the ledger ends its Run. */
  async function see(job: Job, id: string, how: 'execute' | 'resume'): Promise<void> {
    let hasStarted = false;
    try {
      await retryWhileUnavailable(id, () => {
        const step = hasStarted ? 'resume' : how;
        hasStarted = true;
        return job[step](runs.getRecord(id), stopping.signal);
      });
    } catch (error) {
      if (!stopping.signal.aborted) await retryWhileUnavailable(id, async () => job.fault(runs.getRecord(id), error));
    }
  }

  /** Does it again, after a pause, as long as the ledger takes no writes: no Run is lost to a full disk. */
  async function retryWhileUnavailable(id: string, work: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (stopping.signal.aborted) throw error;
        log.error({ runId: id, ...faultFields(error) }, 'the job of a Run failed unexpectedly');
        if (!isLedgerFault(error)) throw error;
        await sleep(ledgerPauseMs, undefined, { signal: stopping.signal });
      }
    }
  }

  function run(job: Job, record: RunRecord, how: 'execute' | 'resume'): void {
    const beat = setInterval(
      () => attempt(() => runs.store.beatRun(record.id, clock.now())),
      limits.heartbeatSeconds * 1_000,
    );
    const work = see(job, record.id, how)
      // A fault that cannot be told leaves the Run running; the next start takes it up.
      .catch(() => {})
      .finally(() => {
        clearInterval(beat);
        busy.get(job)?.delete(work);
        wake();
      });
    busy.get(job)?.add(work);
  }

  /** What runs from a timer must not end the server. Tells whether it worked. */
  function attempt(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      log.error(faultFields(error), 'the queue could not write to the ledger');
      return false;
    }
  }

  function claim(job: Job): boolean {
    if ((busy.get(job)?.size ?? 0) >= job.concurrency) return false;
    const waiting = runs.store.findClaimable(job.types, clock.now());
    if (!waiting) return false;
    failpoint('queue.claim');
    const now = clock.now();
    const claimed = runs.move(waiting.id, 'claim', {
      set: { startedAt: waiting.startedAt ?? now, heartbeatAt: now, attempts: waiting.attempts + 1 },
    });
    failpoint('queue.claimed');
    run(job, claimed, 'execute');
    return true;
  }

  const release = createDeadline({
    clock,
    log,
    findNext: () => runs.store.findNextRelease(clock.now()),
    handlePast: () => wake(),
    failure: 'Runs that wait for an expired plan could not be started',
  });

  function wake(): void {
    if (waking || stopping.signal.aborted) return;
    waking = true;
    setImmediate(() => {
      waking = false;
      if (stopping.signal.aborted) return;
      const isDone = attempt(() => {
        for (const job of jobs) while (claim(job)) {}
        release.arm();
      });
      // Nobody else would wake the queue when the ledger takes writes again.
      if (!isDone) setTimeout(wake, ledgerPauseMs).unref();
    });
  }

  const unsubscribe = outbox.listen((event) => {
    if (event.kind === 'run' && event.status !== 'running') wake();
  });

  return {
    start() {
      for (const record of runs.store.listByStatus('running')) {
        const job = jobs.find(({ types }) => types.includes(record.type));
        if (job) run(job, record, 'resume');
      }
      wake();
    },
    cancel: (record) => jobs.find(({ types }) => types.includes(record.type))?.cancel(record),
    async stop() {
      unsubscribe();
      release.stop();
      stopping.abort();
      await Promise.allSettled([...busy.values()].flatMap((set) => [...set]));
    },
  };
}
