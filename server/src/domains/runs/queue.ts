import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '#server/kernel/clock';
import { isLedgerFault } from '#server/kernel/db';
import { createDeadline } from '#server/kernel/deadline';
import { failpoint } from '#server/kernel/failpoints';
import { faultFields, type Log } from '#server/kernel/log';
import type { Outbox, OutboxEvent } from '#server/kernel/outbox';
import type { WorkGate } from '#server/kernel/work-gate';
import type { RunErrorCode } from '#shared/errors';
import { isApplyType, localPool } from '#shared/runs/contract';
import { endEventOf } from './audit-events.ts';
import { auditItem, failureItem } from './feed-items.ts';
import type { RunHandler } from './handler.ts';
import { isIncomplete, type RunRecord } from './run-record.ts';
import type { RunsService } from './service.ts';
import { createWorkers, type Start } from './workers.ts';

/** Reason that no process of this server carries on the running Runs: they belong to another machine or another time. */
export class AbandonedError extends Error {}

/** Options of a claim for a pool of runner machines. `record` writes what belongs to the claim, in its transaction. */
export type PoolClaim = { runId?: string; record?: (run: RunRecord) => void };

export type RunQueue = {
  /** Ends every running Run before the queue starts, in the caller's transaction. Returns their number. */
  abandonRunning(reason: AbandonedError): number;
  /** Resumes running Runs, then claims queued ones. */
  start(): void;
  /**
   * Claims a Run of a pool of runner machines: the one that is named, or the oldest. Starts the work of the
   * handler, and returns the Run. Undefined when none can start now, or while no Run may be claimed.
   * It must not be called inside a transaction, because the handler starts at once.
   */
  claim(pool: string, options?: PoolClaim): RunRecord | undefined;
  /** Leaves running Runs to their supervisors and waits until no handler writes to the ledger. */
  stop(): Promise<void>;
};

type Deps = {
  runs: RunsService;
  outbox: Outbox;
  clock: Clock;
  log: Log;
  handlers: readonly RunHandler[];
  /** While it is closed no Run is claimed, and of the running ones only those are resumed that `isFollowed` names. */
  workGate: WorkGate;
};

/** Delay before a Run is retried after the ledger rejected a write. */
const ledgerPauseMs = 5_000;

const mayFreeRun = ({ kind, status }: OutboxEvent): boolean => kind === 'run' && status !== 'running';

/** Claims queued Runs, oldest first, when a Run was created or has ended. No timer fires while nothing runs. */
export function createRunQueue({ runs, outbox, clock, log, handlers, workGate }: Deps): RunQueue {
  const stopping = new AbortController();
  let isStarted = false;
  let waking = false;
  const forEachRunning = createRunningLoop({ runs, handlers });
  const attempt = createAttempt(log);
  const endIncomplete = createIncompleteEnd({ runs, clock });
  const { handle, fault } = createHandling({ runs, log, signal: stopping.signal, endIncomplete });
  const workers = createWorkers({ runs, clock, handlers, handle, attempt, onFree: () => wake() });

  /** Resumes the running Runs that no handler has. */
  function resumeAll(): void {
    forEachRunning((handler, record) => {
      if (!workers.has(record.id) && (workGate.mayAct() || handler.isFollowed?.(record)))
        workers.run(handler, record, 'resume');
    });
  }

  const claimNext = createClaim({ runs, clock, workers, endIncomplete });
  const claimLocal = (handler: RunHandler): boolean =>
    workers.isFree(handler) && claimNext(handler, localPool) !== undefined;

  const release = createDeadline({
    clock,
    log,
    gate: workGate,
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
        for (const handler of handlers) while (workGate.mayAct() && claimLocal(handler)) {}
        release.arm();
      });
      // No other event would wake the queue when the ledger accepts writes again.
      if (!isDone) setTimeout(wake, ledgerPauseMs).unref();
    });
  }

  runs.onStop((record) => handlers.find(({ types }) => types.includes(record.type))?.cancel(record));
  const unsubscribe = outbox.listen((event) => void (mayFreeRun(event) && wake()));

  workGate.onOpen(() => {
    if (!isStarted || stopping.signal.aborted) return;
    attempt(resumeAll);
    wake();
  });
  return {
    abandonRunning: (reason) => forEachRunning((handler, { id }) => fault(handler, id, reason)),
    start() {
      isStarted = true;
      resumeAll();
      wake();
    },
    claim(pool, options) {
      if (!isStarted || stopping.signal.aborted || !workGate.mayAct()) return undefined;
      for (const handler of handlers) {
        const claimed = claimNext(handler, pool, options);
        if (claimed) return claimed;
      }
      return undefined;
    },
    async stop() {
      unsubscribe();
      void release.stop();
      stopping.abort();
      await workers.settle();
    },
  };
}

type ClaimParts = Pick<Deps, 'runs' | 'clock'> & {
  workers: Pick<ReturnType<typeof createWorkers>, 'run'>;
  endIncomplete: (run: RunRecord) => void;
};

/** Returns the claim of the next Run of a handler and a pool, or of one of them. It ends damaged ones on the way. */
function createClaim({ runs, clock, workers, endIncomplete }: ClaimParts) {
  function begin(handler: RunHandler, waiting: RunRecord, record?: PoolClaim['record']): RunRecord {
    failpoint('queue.claim');
    const now = clock.now();
    const claimed = runs.move(waiting.id, 'claim', {
      set: { startedAt: waiting.startedAt ?? now, heartbeatAt: now, attempts: waiting.attempts + 1 },
      ...(record && { record }),
    });
    failpoint('queue.claimed');
    workers.run(handler, claimed, 'execute');
    return claimed;
  }

  return (handler: RunHandler, pool: string, { runId: id, record }: PoolClaim = {}): RunRecord | undefined => {
    const { types } = handler;
    for (;;) {
      const waiting = runs.store.findClaimable({ types, pool, id }, clock.now());
      if (!waiting) return undefined;
      if (!isIncomplete(waiting)) return begin(handler, waiting, record);
      endIncomplete(waiting);
    }
  };
}

/** Calls back with each running Run and its handler. Returns the number of running Runs. */
const createRunningLoop =
  ({ runs, handlers }: Pick<Deps, 'runs' | 'handlers'>) =>
  (work: (handler: RunHandler, run: RunRecord) => void): number => {
    const running = runs.store.listByStatus('running');
    for (const run of running) {
      const handler = handlers.find(({ types }) => types.includes(run.type));
      if (handler) work(handler, run);
    }
    return running.length;
  };

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

/** Ends a Run that nothing can execute, because its row is damaged. */
const createIncompleteEnd =
  ({ runs, clock }: Pick<Deps, 'runs' | 'clock'>) =>
  (run: RunRecord): void => {
    const now = clock.now();
    const errorCode = failureOf(run);
    runs.move(run.id, 'fail', {
      set: { errorCode },
      items: [
        failureItem(now, errorCode, 'The record of this Run is damaged, so it cannot run. Start a new one.'),
        auditItem(endEventOf(run, 'failed'), now, { data: { errorCode } }),
      ],
    });
  };

function failureOf({ type }: RunRecord): RunErrorCode {
  if (type === 'source_sync') return 'source_sync_failed';
  if (type === 'restore') return 'restore_failed';
  return isApplyType(type) ? 'apply_failed' : 'plan_failed';
}

type Handling = Pick<Deps, 'runs' | 'log'> & { signal: AbortSignal; endIncomplete: (run: RunRecord) => void };

function createHandling({ runs, log, signal, endIncomplete }: Handling) {
  function getComplete(id: string): RunRecord {
    const run = runs.getRecord(id);
    if (isIncomplete(run)) throw new Error(`The row of the ${run.type} Run ${id} is damaged.`);
    return run;
  }

  function fault(handler: RunHandler, id: string, error: unknown): void {
    const run = runs.getRecord(id);
    if (!isIncomplete(run)) handler.fault(run, error);
    // The tool may have changed resources: the apply stays running, so that no other Run starts on an old state.
    else if (!isApplyType(run.type)) endIncomplete(run);
  }

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
  async function handle(handler: RunHandler, id: string, { how, slot }: Start): Promise<void> {
    let hasStarted = false;
    try {
      await retryWhileUnavailable(id, () => {
        const step = hasStarted ? 'resume' : how;
        hasStarted = true;
        return handler[step](getComplete(id), signal, slot);
      });
    } catch (error) {
      if (!signal.aborted) await retryWhileUnavailable(id, async () => fault(handler, id, error));
    }
  }

  return { handle, fault };
}
