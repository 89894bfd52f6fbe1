import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunRecord } from '#server/domains/runs/index';
import type { Clock } from '#server/kernel/clock';
import { isLedgerFault } from '#server/kernel/db';
import { isDiskFault } from '#server/kernel/disk';
import { failpoint } from '#server/kernel/failpoints';
import { faultFields, type Log } from '#server/kernel/log';
import { RunnerError, type Job as RunnerJob } from '#server/runner/index';
import { replacedCode } from '#shared/runs/orphans';
import { noteItem } from './ingest.ts';
import { runDirOf } from './job-spec.ts';
import { createJournalIngest, type JournalIngestDeps } from './journal-ingest.ts';
import { isDispatched, maxAttempts } from './run-ends.ts';

/** How often it is looked whether the folder of a Capsule is free again; only while a Run waits for that. */
export const busyPauseMs = 2_000;
export const lost = {
  code: 'run_execution_lease_lost' as const,
  message: 'The supervisor of this apply was lost and could not be replaced. Plan again to see what was reached.',
};
const replaced = 'The supervisor of this apply was lost; another one has taken it over.';

/** Whether what was thrown says that the disk is full or takes no writes. */
export const isDiskFull = (error: unknown): boolean =>
  isDiskFault(error) || (error instanceof RunnerError && error.code === 'disk_full');

type Deps = JournalIngestDeps & {
  clock: Clock;
  log: Log;
  jobSpec: (run: RunRecord, mode: RunnerJob['mode']) => Promise<RunnerJob>;
};

/** Follows the journal of a Run into the ledger until it holds an outcome, over faults of the server and lost supervisors. */
export function createJournalFollower(deps: Deps): (id: string, signal: AbortSignal) => Promise<void> {
  const { clock, log, folders, runner, runs, ends, jobSpec } = deps;
  const takeAll = createJournalIngest(deps);

  /** A fault of the server ends no Run whose supervisor works: it is listened to again, and without one a few times more. */
  async function persevere(id: string, signal: AbortSignal): Promise<void> {
    for (let faults = 1; ; faults += 1) {
      try {
        return await follow(id, signal);
      } catch (error) {
        const isLast = faults >= maxAttempts && !runner.isAlive(runDirOf(folders, id));
        // Whoever waits for the disk is woken by the queue.
        if (signal.aborted || isLedgerFault(error) || isLast) throw error;
        log.error({ runId: id, ...faultFields(error) }, 'a Run could not be followed and is taken up again');
        await sleep(busyPauseMs, undefined, { signal });
      }
    }
  }

  /** Until the journal holds an outcome. */
  async function follow(id: string, signal: AbortSignal): Promise<void> {
    const runDir = runDirOf(folders, id);
    // Whoever cancelled while nobody could be asked yet is heard now.
    if (runs.getRecord(id).input['cancelledBy'] !== undefined) runner.cancel(runDir);
    for (let takeovers = 0; ; takeovers += 1) {
      if (!(await listen(id, signal))) return;
      if (!(await takeOver(runs.getRecord(id), takeovers, signal))) return;
    }
  }

  /** Until there is nobody left to listen to, and nobody will begin. False when the Run needs nobody any more. */
  async function listen(id: string, signal: AbortSignal): Promise<boolean> {
    const runDir = runDirOf(folders, id);
    do {
      if (!(await takeAll(id, signal))) return false;
      // A supervisor may have begun in this very moment; after this none will that is not alive.
      runner.withdraw(runDir);
      failpoint('adopt.withdrawn');
    } while (runner.isAlive(runDir));
    // One may have begun since, and be dead again: only the journal tells whether its tool was dispatched.
    return takeAll(id, signal);
  }

  /** A supervisor that is gone without an outcome is replaced for an apply, and anything else is made again. True when there is one to follow. */
  async function takeOver(run: RunRecord, takeovers: number, signal: AbortSignal): Promise<boolean> {
    const isTired = takeovers >= maxAttempts;
    // Nothing survives its Run; a tool that still applies is the one exception, and it keeps the folder.
    const isFolderFree =
      (!isDispatched(run) || isTired) && (await runner.endLeftovers(path.join(folders.capsules, run.capsuleId ?? '')));
    if (!isDispatched(run)) ends.retry(run.id);
    else if (isTired && isFolderFree) ends.fail(run, lost);
    else {
      // As long as its tool works nobody can tell how an apply ends, so it is not given up.
      if (isTired) await sleep(busyPauseMs, undefined, { signal });
      failpoint('adopt.start');
      await adopt(run, signal);
      return true;
    }
    return false;
  }

  /**
   * A supervisor that cannot be started is one attempt that failed; the next one comes after a pause. Room on the disk is
   * waited for without end: nobody else can tell how this apply ended.
   */
  async function adopt(run: RunRecord, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        await runner.start(await jobSpec(run, 'adopt'));
        return runs.append(run.id, [noteItem(clock.now(), replacedCode, replaced)]);
      } catch (error) {
        if (!(error instanceof RunnerError) && !isDiskFull(error)) throw error;
        log.warn({ runId: run.id, ...faultFields(error) }, 'no supervisor took the apply over');
        await sleep(busyPauseMs, undefined, { signal });
        if (!isDiskFull(error)) return;
      }
    }
  }

  return persevere;
}
