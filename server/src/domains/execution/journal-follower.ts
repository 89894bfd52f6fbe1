import { setTimeout as sleep } from 'node:timers/promises';
import { type CapsuleRun, noteItem } from '#server/domains/runs/index';
import type { Clock } from '#server/kernel/clock';
import { isLedgerFault } from '#server/kernel/db';
import { isDiskFault } from '#server/kernel/disk';
import { failpoint } from '#server/kernel/failpoints';
import { faultFields, type Log } from '#server/kernel/log';
import { isDamage, type Job, RunnerError } from '#server/runner/index';
import { localPool } from '#shared/runs/contract';
import { replacedCode } from '#shared/runs/orphans';
import { createJournalIngest, type JournalIngestDeps } from './journal-ingest.ts';
import { isDispatched, maxAttempts } from './run-ends.ts';

/** Interval for checking whether the folder of a Capsule is free again; only while a Run waits for that. */
export const busyPauseMs = 2_000;
export const lost = {
  code: 'run_execution_lease_lost' as const,
  message: 'The supervisor of this apply was lost and could not be replaced. Plan again to see the result.',
};
const endedByPerson = {
  code: 'apply_interrupted' as const,
  message: 'A person ended this apply, whose machine was gone. Plan again to see the result.',
};
const replaced = 'The supervisor of this apply was lost; another one has taken over.';

/** Only its machine could take over such an apply, and a person has given that up. */
const isAbandoned = ({ runnerPool, input }: CapsuleRun): boolean =>
  runnerPool !== localPool && input.cancelledBy !== undefined;
const endOf = (run: CapsuleRun) => (isAbandoned(run) ? endedByPerson : lost);

/** True when the error says that the disk is full or read-only. */
export const isDiskFull = (error: unknown): boolean =>
  isDiskFault(error) || (error instanceof RunnerError && error.code === 'disk_full');

type Deps = JournalIngestDeps & {
  clock: Clock;
  log: Log;
  buildJob: (run: CapsuleRun, mode: Job['mode']) => Promise<Job>;
};

/** Follows the journal of a Run into the ledger until it contains an outcome, across server errors and lost supervisors. */
export function createJournalFollower(deps: Deps): (id: string, signal: AbortSignal) => Promise<void> {
  const { clock, log, driver, runs, ends, buildJob } = deps;
  const takeAll = createJournalIngest(deps);

  /** A server error never ends a Run whose supervisor works: the journal is followed again, without a supervisor a few times more. */
  async function persevere(id: string, signal: AbortSignal): Promise<void> {
    for (let faults = 1; ; faults += 1) {
      try {
        return await follow(id, signal);
      } catch (error) {
        const isLast = (isDamage(error) || faults >= maxAttempts) && !(await driver.isAlive(id));
        // A Run that waits for the disk is resumed by the queue.
        if (signal.aborted || isLedgerFault(error) || isLast) throw error;
        log.error({ runId: id, ...faultFields(error) }, 'a Run could not be followed and is followed again');
        await sleep(busyPauseMs, undefined, { signal });
      }
    }
  }

  /** Follows until the journal contains an outcome. */
  async function follow(id: string, signal: AbortSignal): Promise<void> {
    // Forwards a cancellation that was requested before a supervisor could receive it.
    if (runs.getCapsuleRun(id).input.cancelledBy !== undefined) driver.cancel(id);
    for (let takeovers = 0; ; takeovers += 1) {
      if (!(await listen(id, signal))) return;
      if (!(await takeOver(runs.getCapsuleRun(id), takeovers, signal))) return;
    }
  }

  /** Follows until no supervisor is alive and none will start. False when the Run needs no supervisor any more. */
  async function listen(id: string, signal: AbortSignal): Promise<boolean> {
    do {
      if (!(await takeAll(id, signal))) return false;
      // A supervisor may have started just now; after this only one that is alive can start the tool.
      await driver.withdraw(id);
      failpoint('adopt.withdrawn');
    } while (await driver.isAlive(id));
    // One may have started since and died again: only the journal shows whether its tool was dispatched.
    return takeAll(id, signal);
  }

  /** Replaces a supervisor that ended without an outcome for an apply, and queues any other Run again. True when there is one to follow. */
  async function takeOver(found: CapsuleRun, takeovers: number, signal: AbortSignal): Promise<boolean> {
    const isTired = takeovers >= maxAttempts || isAbandoned(found);
    // No process outlives its Run, except a tool that still applies, which keeps the folder.
    const isFolderFree = (!isDispatched(found) || isTired) && (await driver.endLeftovers(found));
    // A machine may have got its permit since then.
    const run = runs.getCapsuleRun(found.id);
    if (!isDispatched(run)) ends.retry(run.id);
    else if (isTired && isFolderFree) ends.fail(run, endOf(run));
    else {
      // The result of an apply is unknown while its tool works, so the apply is not given up.
      if (isTired) await sleep(busyPauseMs, undefined, { signal });
      failpoint('adopt.start');
      await adopt(run, signal);
      return true;
    }
    return false;
  }

  /**
   * A supervisor that cannot be started is one failed attempt; the next follows after a pause. Disk space is waited for without a limit,
   * because only a supervisor can determine how this apply ended.
   */
  async function adopt(run: CapsuleRun, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        await driver.start(await buildJob(run, 'adopt'));
        return runs.append(run.id, [noteItem(clock.now(), replacedCode, replaced)]);
      } catch (error) {
        if (!(error instanceof RunnerError) && !isDiskFull(error)) throw error;
        log.warn({ runId: run.id, ...faultFields(error) }, 'no supervisor took over the apply');
        await sleep(busyPauseMs, undefined, { signal });
        if (!isDiskFull(error)) return;
      }
    }
  }

  return persevere;
}
