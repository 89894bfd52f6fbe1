import { existsSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ActivityService } from '#server/activity/index';
import type { CapsulesService } from '#server/capsules/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { faultFields, type Log } from '#server/kernel/log';
import type { ApplyOutcome, JournalRecord, Outcome, PlanOutcome, Runner, Job as RunnerJob } from '#server/runner/index';
import { RunnerError } from '#server/runner/index';
import { auditItem, familyOf, type Job, type RunRecord, type RunsService } from '#server/runs/index';
import type { StatesService } from '#server/states/index';
import type { RunErrorCode } from '#shared/errors';
import { capsuleRunTypes, isApplyType } from '#shared/runs/contract';
import { createRunDeed } from './deeds.ts';
import { failureItem, readRecords } from './ingest.ts';
import { type Folders, runDirOf } from './job-spec.ts';
import { findStartRefusal } from './start-checks.ts';
import type { DeploysStore } from './store.ts';
import { phaseTimingsOf } from './timings.ts';
import type { Toolbox } from './toolbox.ts';

const maxAttempts = 3;
/** How often it is looked whether the folder of a Capsule is free again; only while a Run waits for that. */
const busyPauseMs = 2_000;
const noTool = {
  code: 'tool_unavailable' as const,
  message: 'Neither OpenTofu nor Terraform is there any more. Install the pinned OpenTofu, then try again.',
};
const lost = {
  code: 'run_execution_lease_lost' as const,
  message: 'The supervisor of this apply was lost and could not be replaced. Plan again to see what was reached.',
};

type Deps = {
  db: Db;
  clock: Clock;
  log: Log;
  folders: Folders;
  concurrency: number;
  freeBytes: () => number;
  runner: Runner;
  toolbox: Toolbox;
  store: DeploysStore;
  runs: RunsService;
  capsules: Pick<CapsulesService, 'getRow' | 'commitApply'>;
  states: Pick<StatesService, 'openCurrent' | 'findCurrentHead'>;
  activity: Pick<ActivityService, 'record'>;
  jobSpec: (run: RunRecord, mode: RunnerJob['mode']) => Promise<RunnerJob>;
  finishPlan: (run: RunRecord, outcome: PlanOutcome) => void;
  finishApply: (run: RunRecord, outcome: ApplyOutcome) => void;
};

/** Runs plans and applies: hands them to a supervisor, follows its journal into the ledger, commits the outcome. */
export function createDeployJob(deps: Deps): Job {
  const { db, clock, folders, runner, runs } = deps;
  const deed = createRunDeed(deps.activity);

  async function execute(claimed: RunRecord, signal: AbortSignal): Promise<void> {
    const ready = await deps.toolbox.current();
    if (!ready) return fail(claimed, noTool);
    const { tool } = ready;
    const refusal = findStartRefusal(claimed, { ...deps, tool });
    if (refusal) return fail(claimed, refusal);
    runs.update(claimed.id, { journalOffset: 0 }, { toolName: tool.name, toolVersion: tool.version });
    const attempt = claimed.attempts > 1 ? [] : [auditItem(`${familyOf(claimed)}.started`, clock.now())];
    runs.append(claimed.id, attempt);
    rmSync(runDirOf(folders, claimed.id), { recursive: true, force: true });
    const job = await deps.jobSpec(runs.getRecord(claimed.id), 'run');
    if (!(await hand(claimed.id, job, signal))) return;
    await follow(claimed.id, signal);
  }

  /** Gives the Job to a supervisor. While another one still works in the Capsule's folder its end is awaited. False when the Run has moved. */
  async function hand(id: string, job: RunnerJob, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      if (cancelledMeanwhile(id)) return false;
      try {
        await runner.start(job);
        return true;
      } catch (error) {
        deps.log.warn({ runId: id, ...faultFields(error) }, 'no supervisor took the Run');
        if (!(error instanceof RunnerError) || error.code !== 'busy') {
          retry(id);
          return false;
        }
        await sleep(busyPauseMs, undefined, { signal });
      }
    }
  }

  /** A person may cancel between the claim and the start: nothing was spawned yet, so the Run simply ends. */
  function cancelledMeanwhile(id: string): boolean {
    const run = runs.getRecord(id);
    if (run.input['cancelledBy'] === undefined || isApplyType(run.type)) return false;
    endCancelled(run);
    return true;
  }

  async function resume(run: RunRecord, signal: AbortSignal): Promise<void> {
    if (!existsSync(runDirOf(folders, run.id))) return retry(run.id);
    await follow(run.id, signal);
  }

  /** Until the journal holds an outcome. */
  async function follow(id: string, signal: AbortSignal): Promise<void> {
    const runDir = runDirOf(folders, id);
    // Whoever cancelled while nobody could be asked yet is heard now.
    if (runs.getRecord(id).input['cancelledBy'] !== undefined) runner.cancel(runDir);
    const onRecords = (records: readonly JournalRecord[], nextOffset: number) => take(id, records, nextOffset);
    for (let takeovers = 0; ; takeovers += 1) {
      const fromOffset = runs.getRecord(id).journalOffset;
      const end = await runner.follow(runDir, { fromOffset, onRecords, signal });
      const run = runs.getRecord(id);
      if (signal.aborted || run.status !== 'running') return;
      if (end === 'ended') throw new Error('the journal ended without an outcome');
      if (!(await takeOver(run, takeovers))) return;
    }
  }

  /** A supervisor that is gone without an outcome is replaced for an apply, and anything else is made again. True when there is one to follow. */
  async function takeOver(run: RunRecord, takeovers: number): Promise<boolean> {
    // A supervisor may have begun in this very moment; after this none will that is not alive.
    const runDir = runDirOf(folders, run.id);
    runner.withdraw(runDir);
    if (runner.isAlive(runDir)) return true;
    if (!isApplyType(run.type) || run.input['dispatched'] !== true) retry(run.id);
    else if (takeovers >= maxAttempts) fail(run, lost);
    else {
      await runner.start(await deps.jobSpec(run, 'adopt'));
      return true;
    }
    return false;
  }

  /** Feed, position in the journal and outcome belong to one transaction, so that nothing is told twice or lost. */
  function take(id: string, records: readonly JournalRecord[], journalOffset: number): void {
    db.write(() => {
      const { items, dispatched, outcome } = readRecords(records);
      runs.append(id, items);
      runs.update(id, { journalOffset, ...(dispatched && { input: { ...runs.getRecord(id).input, dispatched } }) });
      if (outcome) finish(runs.getRecord(id), outcome);
    });
  }

  function finish(run: RunRecord, outcome: Outcome): void {
    if (outcome.kind === 'plan') deps.finishPlan(run, outcome);
    else if (outcome.kind === 'apply') deps.finishApply(run, outcome);
    else if (outcome.errorCode === 'cancelled') endCancelled(run);
    else fail(run, { code: outcome.errorCode, message: outcome.message, isTold: true });
  }

  function endCancelled(run: RunRecord): void {
    const actor = run.input['cancelledBy'];
    const by = typeof actor === 'string' ? { actor } : {};
    runs.move(run.id, 'cancel', {
      facts: { phaseTimings: phaseTimingsOf(runs, run.id) },
      items: [auditItem(`${familyOf(run)}.cancelled`, clock.now(), by)],
    });
    deed(run, 'run.cancelled');
  }

  /**
   * Ends a Run without an outcome of its apply. Its Capsule stays as it is, unless the provider was dispatched: then
   * nobody knows what was reached. What a supervisor told stands in the feed already.
   */
  function fail(run: RunRecord, why: { code: RunErrorCode; message: string; isTold?: boolean }): void {
    const now = clock.now();
    const providerDispatched = isApplyType(run.type) && run.input['dispatched'] === true;
    const data = isApplyType(run.type)
      ? { errorCode: why.code, providerDispatched, providerApplySucceeded: false }
      : { errorCode: why.code };
    const fence = { epoch: run.executionAuthorityEpoch ?? 0, generation: run.baseStateGeneration ?? 0 };
    db.write(() => {
      if (providerDispatched)
        deps.capsules.commitApply(run.capsuleId ?? '', 'fail', { fence, change: { runtimeSafety: 'unknown' } });
      runs.move(run.id, 'fail', {
        set: { errorCode: why.code },
        facts: { phaseTimings: phaseTimingsOf(runs, run.id) },
        items: [
          ...(why.isTold === true ? [] : [failureItem(now, why.code, why.message)]),
          auditItem(`${familyOf(run)}.failed`, now, { data }),
        ],
      });
      deed(run, 'run.failed', { metadata: { errorCode: why.code } });
    });
  }

  function retry(id: string): void {
    const run = runs.getRecord(id);
    if (run.attempts >= maxAttempts) {
      fail(run, {
        code: 'runner_infrastructure_retry_exhausted',
        message: 'The Run could not be started three times in a row. The log of the server says why.',
      });
      return;
    }
    runs.move(id, 'requeue', {
      set: { journalOffset: 0 },
      items: [auditItem(`${familyOf(run)}.retry_scheduled`, clock.now())],
    });
    deed(run, 'run.retry_scheduled');
  }

  return {
    types: capsuleRunTypes.filter((type) => type !== 'restore'),
    concurrency: deps.concurrency,
    execute,
    resume,
    cancel: (run) => void runner.cancel(runDirOf(folders, run.id)),
    fault(run) {
      if (run.status !== 'running') return;
      const code = isApplyType(run.type) ? 'apply_failed' : 'plan_failed';
      fail(run, { code, message: 'The Run failed unexpectedly on the server. Its log has the details.' });
    },
  };
}
