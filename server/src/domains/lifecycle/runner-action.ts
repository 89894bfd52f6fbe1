import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  actionDirOf,
  actionJobId,
  busyPauseMs,
  type Folders,
  isDiskFull,
  readRecords,
} from '#server/domains/execution/index';
import type { RunsService } from '#server/domains/runs/index';
import type { Db } from '#server/kernel/db';
import { failpoint } from '#server/kernel/failpoints';
import { faultFields, type Log } from '#server/kernel/log';
import { removeTree } from '#server/kernel/remove-tree';
import { type Job, type JournalRecord, type Outcome, type RunnerDriver, RunnerError } from '#server/runner/index';
import type { ActionEnd, RunAction } from './action-end.ts';
import type { ActionInput } from './action-input.ts';
import { hostVariables, variableMaxBytes } from './action-job.ts';
import type { LifecycleStore } from './store.ts';

/** Number of supervisors that are started for one action before it is given up. */
const maxAttempts = 3;

type Deps = {
  db: Db;
  log: Log;
  folders: Folders;
  driver: RunnerDriver;
  runs: Pick<RunsService, 'getCapsuleRun' | 'append'>;
  store: LifecycleStore;
  inputOf: (run: RunAction['run']) => ActionInput;
  jobOf: (one: RunAction, input: ActionInput) => Promise<Job>;
  end: (one: RunAction, end: ActionEnd) => void;
};

const interrupted: ActionEnd = { result: 'failed', message: 'The Run was interrupted before the action was started.' };
const lost: ActionEnd = {
  result: 'failed',
  message: 'Its supervisor was lost after the command was started, so its end is unknown. It is not started again.',
  isEndKnown: false,
};
const full: ActionEnd = {
  result: 'failed',
  message: 'The disk of the data folder is full or read-only, so it was not started. Free some space and try again.',
};
const exhausted: ActionEnd = {
  result: 'failed',
  message: 'It could not be started three times in a row. Read the log of the server.',
};

/**
 * Runs actions of the built-in activator, each in a supervisor of its own that outlives this server. The fsynced journal
 * of the supervisor shows whether the command was started; then it is never started again.
 */
export function createRunnerActions(deps: Deps) {
  const { db, folders, driver, runs, store, end } = deps;
  const start = createStart(deps);

  /** Feed, position and result are written in one transaction, so that no record is lost or repeated. */
  function take(one: RunAction, records: readonly JournalRecord[], journalOffset: number): void {
    db.write(() => {
      const { items, outcome } = readRecords(records);
      runs.append(one.run.id, items);
      const isSpawned = records.some((record) => record.t === 'spawned' && record.command === 'action');
      store.update(one.key, { journalOffset, ...(isSpawned && { invoked: true }) });
      failpoint('lifecycle.records');
      if (outcome) end(one, endOf(outcome));
    });
  }

  async function follow(one: RunAction, signal: AbortSignal): Promise<void> {
    const id = actionJobId(one.key);
    const { journalOffset = 0 } = store.find(one.key) ?? {};
    const fromOffset = Math.min(journalOffset, (await driver.truncateTornTail(id)) ?? journalOffset);
    if (isInterrupted(runs, one.run.id)) driver.cancel(id);
    await driver.follow(id, { fromOffset, signal, onRecords: (records, next) => take(one, records, next) });
    signal.throwIfAborted();
  }

  /** Follows until there is a result, or no supervisor is alive and none will start the command. */
  async function listen(one: RunAction, signal: AbortSignal): Promise<void> {
    const id = actionJobId(one.key);
    do {
      await follow(one, signal);
      if (hasResult(one)) return;
      await driver.withdraw(id);
    } while (await driver.isAlive(id));
    await follow(one, signal);
  }

  const hasResult = ({ key }: RunAction): boolean => store.find(key)?.result != null;
  const isInvoked = ({ key }: RunAction): boolean => store.find(key)?.invoked === true;

  /** Tries once to run the action. Returns true when there is a result, and false when nothing was started. */
  async function attempt(one: RunAction, signal: AbortSignal): Promise<boolean> {
    const isHanded = existsSync(actionDirOf(folders, one.key));
    // Without its folder the progress of a command that was started is unknown.
    const fault = !isHanded && !isInvoked(one) ? await start(one, signal) : undefined;
    if (!hasResult(one)) await listen(one, signal);
    if (hasResult(one)) return true;
    // No process of an action outlives its supervisor.
    await driver.endLeftovers({ id: actionJobId(one.key), capsuleId: one.run.capsuleId });
    if (isInvoked(one)) end(one, lost);
    else if (isDiskFull(fault)) end(one, full);
    else if (fault !== undefined) await sleep(busyPauseMs, undefined, { signal });
    return hasResult(one);
  }

  /** Nothing was started, so nothing is repeated. */
  function clear({ key }: RunAction): void {
    db.write(() => store.update(key, { journalOffset: 0 }));
    removeTree(actionDirOf(folders, key));
  }

  /** Runs an action to its result. Rejects when the server stops; the supervisor continues then. */
  return async (one: RunAction, signal: AbortSignal): Promise<void> => {
    for (let attempts = 0; attempts < maxAttempts; attempts += 1) {
      if (await attempt(one, signal)) return;
      clear(one);
    }
    end(one, exhausted);
  };
}

const isTooLarge = (input: ActionInput): boolean =>
  Object.values(hostVariables(input)).some((value) => Buffer.byteLength(value) > variableMaxBytes);

const isInterrupted = (runs: Pick<RunsService, 'getCapsuleRun'>, runId: string): boolean =>
  runs.getCapsuleRun(runId).input.cancelledBy !== undefined;

/**
 * Hands the action over. Resolves to the error when that failed: the journal shows whether a supervisor has taken it
 * despite the error.
 */
function createStart({ db, log, driver, runs, store, inputOf, jobOf, end }: Deps) {
  return async (one: RunAction, signal: AbortSignal): Promise<unknown> => {
    const input = inputOf(one.run);
    if (isTooLarge(input))
      return end(one, { result: 'failed', message: 'The Outputs are too large for a variable of a process.' });
    db.write(() => store.update(one.key, { evidence: input.evidence }));
    const job = await jobOf(one, input);
    for (;;) {
      if (isInterrupted(runs, one.run.id)) return end(one, interrupted);
      try {
        failpoint('lifecycle.hand');
        await driver.start(job);
        return undefined;
      } catch (error) {
        if (!(error instanceof RunnerError) || error.code !== 'busy') {
          log.warn({ runId: one.run.id, ...faultFields(error) }, 'no supervisor took an action');
          return error;
        }
        await sleep(busyPauseMs, undefined, { signal });
      }
    }
  };
}

function endOf(outcome: Outcome): ActionEnd {
  if (outcome.kind === 'failed') return { result: 'failed', message: outcome.message };
  if (outcome.kind !== 'action')
    throw new RunnerError('journal_corrupt', 'The journal of the action has an outcome of another kind.');
  const { succeeded, message, exitCode } = outcome;
  const evidence = exitCode === undefined ? {} : { exitCode };
  return succeeded
    ? { result: 'succeeded', evidence }
    : { result: 'failed', ...(message !== undefined && { message }), evidence };
}
