import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '#server/kernel/clock';
import { isLedgerFault } from '#server/kernel/db';
import { createDeadline } from '#server/kernel/deadline';
import { failpoint } from '#server/kernel/failpoints';
import { faultFields, type Log } from '#server/kernel/log';
import type { Outbox } from '#server/kernel/outbox';
import { limits } from '#shared/limits';
import type { RunRecord } from './run-record.ts';
import type { RunsService } from './service.ts';

/** Background handler for Runs of some types. Both methods either leave the Run moved or reject. */
export type RunHandler<R extends RunRecord = RunRecord> = {
  types: readonly R['type'][];
  /** Maximum number of these Runs that execute concurrently. */
  concurrency: number;
  /** Executes a Run that was just claimed. */
  execute(run: R, signal: AbortSignal): Promise<void>;
  /** Resumes a Run that was running when the server stopped. */
  resume(run: R, signal: AbortSignal): Promise<void>;
  /** Asks a running Run to end; the Run moves when it has ended. */
  cancel(run: R): void;
  /** Moves a Run whose handler rejected, so that none stays running. */
  fault(run: R, error: unknown): void;
};

export type RunQueue = {
  /** Resumes running Runs, then claims queued ones. */
  start(): void;
  cancel(run: RunRecord): void;
  /** Leaves running Runs to their supervisors and waits until no handler writes to the ledger. */
  stop(): Promise<void>;
};

type Deps = { runs: RunsService; outbox: Outbox; clock: Clock; log: Log; handlers: readonly RunHandler[] };

/** Delay before a Run is retried after the ledger rejected a write. */
const ledgerPauseMs = 5_000;

/** Claims queued Runs, oldest first, when a Run was created or has ended. No timer fires while nothing runs. */
export function createRunQueue({ runs, outbox, clock, log, handlers }: Deps): RunQueue {
  const stopping = new AbortController();
  const busy = new Map<RunHandler, Set<Promise<void>>>(handlers.map((handler) => [handler, new Set()]));
  let waking = false;
  const attempt = createAttempt(log);
  const handle = createHandling({ runs, log, signal: stopping.signal });

  function run(handler: RunHandler, record: RunRecord, how: 'execute' | 'resume'): void {
    const beat = setInterval(
      () => attempt(() => runs.store.beatRun(record.id, clock.now())),
      limits.heartbeatSeconds * 1_000,
    );
    const work = handle(handler, record.id, how)
      // When the fault cannot be recorded the Run stays running; the next start resumes it.
      .catch(() => {})
      .finally(() => {
        clearInterval(beat);
        busy.get(handler)?.delete(work);
        wake();
      });
    busy.get(handler)?.add(work);
  }

  function claim(handler: RunHandler): boolean {
    if ((busy.get(handler)?.size ?? 0) >= handler.concurrency) return false;
    const waiting = runs.store.findClaimable(handler.types, clock.now());
    if (!waiting) return false;
    failpoint('queue.claim');
    const now = clock.now();
    const claimed = runs.move(waiting.id, 'claim', {
      set: { startedAt: waiting.startedAt ?? now, heartbeatAt: now, attempts: waiting.attempts + 1 },
    });
    failpoint('queue.claimed');
    run(handler, claimed, 'execute');
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
        for (const handler of handlers) while (claim(handler)) {}
        release.arm();
      });
      // No other event would wake the queue when the ledger accepts writes again.
      if (!isDone) setTimeout(wake, ledgerPauseMs).unref();
    });
  }

  const unsubscribe = outbox.listen((event) => {
    if (event.kind === 'run' && event.status !== 'running') wake();
  });

  return {
    start() {
      for (const record of runs.store.listByStatus('running')) {
        const handler = handlers.find(({ types }) => types.includes(record.type));
        if (handler) run(handler, record, 'resume');
      }
      wake();
    },
    cancel: (record) => handlers.find(({ types }) => types.includes(record.type))?.cancel(record),
    async stop() {
      unsubscribe();
      release.stop();
      stopping.abort();
      await Promise.allSettled([...busy.values()].flatMap((set) => [...set]));
    },
  };
}

/** Runs timer work without letting an error end the server. Returns whether it succeeded. */
const createAttempt =
  (log: Log) =>
  (work: () => void): boolean => {
    try {
      work();
      return true;
    } catch (error) {
      log.error(faultFields(error), 'the queue could not write to the ledger');
      return false;
    }
  };

type Handling = Pick<Deps, 'runs' | 'log'> & { signal: AbortSignal };

function createHandling({ runs, log, signal }: Handling) {
  /** Retries after a pause while the ledger rejects writes, so that no Run is lost to a full disk. */
  async function retryWhileUnavailable(id: string, work: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (signal.aborted) throw error;
        log.error({ runId: id, ...faultFields(error) }, 'the handler of a Run failed unexpectedly');
        if (!isLedgerFault(error)) throw error;
        await sleep(ledgerPauseMs, undefined, { signal });
      }
    }
  }

  /**
   * Handles a Run until it has moved or the server stops. A handler that rejects for a reason other than the ledger
   * ends its Run.
   */
  return async function handle(handler: RunHandler, id: string, how: 'execute' | 'resume'): Promise<void> {
    let hasStarted = false;
    try {
      await retryWhileUnavailable(id, () => {
        const step = hasStarted ? 'resume' : how;
        hasStarted = true;
        return handler[step](runs.getRecord(id), signal);
      });
    } catch (error) {
      if (!signal.aborted) await retryWhileUnavailable(id, async () => handler.fault(runs.getRecord(id), error));
    }
  };
}
