import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CapsuleRun, isApplyRun, type RunsService, type Slot } from '#server/domains/runs/index';
import { faultFields, type Log } from '#server/kernel/log';
import { type Job, type RunnerDriver, RunnerError } from '#server/runner/index';
import { type Folders, runDirOf } from './folders.ts';
import { busyPauseMs, isDiskFull } from './journal-follower.ts';
import type { RunEnds } from './run-ends.ts';

const full = {
  code: 'disk_full' as const,
  message: 'The disk of the data folder is full or read-only, so the Run did not start. Free some space and try again.',
};

const isInputMissing = (error: unknown): error is RunnerError =>
  error instanceof RunnerError && error.code === 'input_missing';

/** Signal of the stop of the server, and the slot of the Run. */
export type Start = { signal: AbortSignal; slot: Slot };

type Deps = {
  log: Log;
  folders: Folders;
  driver: RunnerDriver;
  runs: Pick<RunsService, 'getCapsuleRun'>;
  ends: RunEnds;
  /** Resolves to false when the Run has ended because this server may not start it. */
  passFence: (run: CapsuleRun, signal: AbortSignal, slot: Slot) => Promise<boolean>;
};

/**
 * Hands a Run to a supervisor. Waits while another supervisor still works in the folder of the Capsule, and checks
 * the fence before each attempt, because actions and waits may have taken hours. Resolves to true when there is a journal
 * to follow, and to false when the Run ended or is queued again.
 */
export function createHandOver({ log, folders, driver, runs, ends, passFence }: Deps) {
  /** A person may cancel between the claim and the start: no process exists yet, so the Run simply ends. */
  function endIfCancelled(id: string): boolean {
    const run = runs.getCapsuleRun(id);
    if (run.input.cancelledBy === undefined || isApplyRun(run)) return false;
    ends.endCancelled(run);
    return true;
  }

  /**
   * The Run may have been taken despite an error; then the journal is followed, which shows whether it was. Without a
   * journal the Run ends when the disk is full or what it needs is gone, and is tried again for any other reason.
   */
  async function recover(id: string, error: unknown): Promise<boolean> {
    if (await driver.isAlive(id)) return true;
    if (isDiskFull(error)) ends.fail(runs.getCapsuleRun(id), full);
    else if (isInputMissing(error))
      ends.fail(runs.getCapsuleRun(id), { code: 'plan_seal_mismatch', message: error.message });
    else if (existsSync(runDirOf(folders, id))) return true;
    else ends.retry(id);
    return false;
  }

  return async (job: Job, { signal, slot }: Start): Promise<boolean> => {
    const { id } = job;
    for (;;) {
      if (endIfCancelled(id) || !(await passFence(runs.getCapsuleRun(id), signal, slot))) return false;
      try {
        await driver.start(job);
        return true;
      } catch (error) {
        log.warn({ runId: id, ...faultFields(error) }, 'no supervisor took the Run');
        if (!(error instanceof RunnerError) || error.code !== 'busy') return recover(id, error);
        await sleep(busyPauseMs, undefined, { signal });
      }
    }
  };
}
