import type { ActivityService } from '#server/domains/activity/index';
import {
  type ApplyRun,
  auditItem,
  type CapsuleRun,
  createRunRecorder,
  endEventOf,
  isApplyRun,
  isPlanRun,
  type PlanRun,
  type RunsService,
} from '#server/domains/runs/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { failpoint } from '#server/kernel/failpoints';
import {
  type ApplyOutcome,
  type JournalRecord,
  type Outcome,
  type PlanOutcome,
  type RunnerDriver,
  RunnerError,
} from '#server/runner/index';
import { readRecords } from './journal-records.ts';
import { isCommitted, type RunEnds } from './run-ends.ts';

export type JournalIngestDeps = {
  db: Db;
  clock: Clock;
  driver: RunnerDriver;
  runs: RunsService;
  ends: RunEnds;
  activity: Pick<ActivityService, 'record'>;
  finishPlan: (run: PlanRun, outcome: PlanOutcome) => void;
  finishApply: (run: ApplyRun, outcome: ApplyOutcome) => void;
};

/** Ingests the journals of Runs into the ledger, each record once. */
export function createJournalIngest(deps: JournalIngestDeps) {
  const { db, clock, driver, runs, ends, finishPlan, finishApply } = deps;
  const recordActivity = createRunRecorder(deps.activity);
  /** Applies whose result could not be written. */
  const uncommitted = new Set<string>();

  /** Ingests records while a supervisor writes them. False when the Run needs no supervisor any more. */
  async function takeAll(id: string, signal: AbortSignal): Promise<boolean> {
    const onRecords = (records: readonly JournalRecord[], nextOffset: number) => take(id, records, nextOffset);
    const end = await driver.follow(id, { fromOffset: await soundOffset(id), onRecords, signal });
    if (signal.aborted || runs.getRecord(id).status !== 'running' || isCommitted(runs.getCapsuleRun(id))) return false;
    if (end === 'ended') throw new Error('the journal ended without an outcome');
    return true;
  }

  /** After a power failure a journal may end before the ingested position; new records follow its new end. */
  async function soundOffset(id: string): Promise<number> {
    const { journalOffset } = runs.getRecord(id);
    const end = (await driver.truncateTornTail(id)) ?? journalOffset;
    if (end < journalOffset) runs.update(id, { journalOffset: end });
    return Math.min(end, journalOffset);
  }

  /** Feed, journal position and outcome are written in one transaction, so that no record is duplicated or lost. */
  function take(id: string, records: readonly JournalRecord[], journalOffset: number): void {
    failpoint('take.begin');
    const { items, dispatched, outcome } = readRecords(records);
    try {
      db.write(() => {
        runs.append(id, items);
        runs.update(id, { journalOffset });
        if (dispatched) runs.extendInput(runs.getCapsuleRun(id), { dispatched });
        failpoint('take.records');
        if (outcome) finish(runs.getCapsuleRun(id), outcome);
      });
      uncommitted.delete(id);
    } catch (error) {
      if (outcome?.kind === 'apply') uncommitted.add(id);
      throw error;
    }
    failpoint('take.committed');
  }

  /** Records that the result of an apply is written again, after its first commit failed. */
  function noteRetry(run: CapsuleRun): void {
    if (!uncommitted.has(run.id)) return;
    runs.append(run.id, [auditItem(endEventOf(run, 'artifact_ledger_retry_scheduled'), clock.now())]);
    recordActivity(run, 'run.artifact_ledger_retry_scheduled');
  }

  function finish(run: CapsuleRun, outcome: Outcome): void {
    failpoint('take.outcome');
    noteRetry(run);
    if (outcome.kind === 'plan' && isPlanRun(run)) finishPlan(run, outcome);
    else if (outcome.kind === 'apply' && isApplyRun(run)) finishApply(run, outcome);
    else if (outcome.kind !== 'failed')
      throw new RunnerError('journal_corrupt', `The journal of the ${run.type} Run has an outcome of another kind.`);
    else if (outcome.errorCode === 'cancelled') ends.endCancelled(run);
    else ends.fail(run, { code: outcome.errorCode, message: outcome.message, isReported: true });
    failpoint('take.finished');
  }

  return takeAll;
}
