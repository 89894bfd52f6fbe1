import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ActivityService } from '#server/activity/index';
import type { Grants } from '#server/bindings/index';
import type { CapsulesService } from '#server/capsules/index';
import type { DependenciesService } from '#server/dependencies/index';
import type { Clock } from '#server/kernel/clock';
import { type Db, isLedgerFault } from '#server/kernel/db';
import { isDiskFault } from '#server/kernel/disk';
import { failpoint } from '#server/kernel/failpoints';
import { faultFields, type Log } from '#server/kernel/log';
import type { ApplyOutcome, JournalRecord, Outcome, PlanOutcome, Runner, Job as RunnerJob } from '#server/runner/index';
import { RunnerError } from '#server/runner/index';
import { auditItem, endEventOf, familyOf, type Job, type RunRecord, type RunsService } from '#server/runs/index';
import type { StatesService } from '#server/states/index';
import type { ToolIdentity } from '#server/tofu/index';
import type { RunErrorCode } from '#shared/errors';
import { capsuleRunTypes, isApplyType } from '#shared/runs/contract';
import { replacedCode, restartedCode } from '#shared/runs/orphans';
import type { LostApply } from './apply-end.ts';
import type { BoundPlans } from './bound.ts';
import { createRunDeed } from './deeds.ts';
import { failureItem, noteItem, readRecords } from './ingest.ts';
import { type Folders, runDirOf } from './job-spec.ts';
import type { PolicyGate } from './policy-gate.ts';
import { findStartRefusal, type Refusal } from './start-checks.ts';
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

const restarted = 'Ground Control was restarted while this apply ran.';
const replaced = 'The supervisor of this apply was lost; another one has taken it over.';

/** The tool may have changed the world: such a Run is never made again. */
const isDispatched = (run: RunRecord): boolean => isApplyType(run.type) && run.input['dispatched'] === true;

const full = {
  code: 'disk_full' as const,
  message: 'The disk of the data folder is full or takes no writes, so the Run did not begin. Make room and try again.',
};
const isDiskFull = (error: unknown): boolean =>
  isDiskFault(error) || (error instanceof RunnerError && error.code === 'disk_full');

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
  capsules: Pick<CapsulesService, 'getRow'>;
  states: Pick<StatesService, 'openCurrent' | 'findCurrentHead'>;
  dependencies: Pick<DependenciesService, 'findRefusal'>;
  activity: Pick<ActivityService, 'record'>;
  bound: Pick<BoundPlans, 'begin'>;
  policyGate: PolicyGate;
  grants: Pick<Grants, 'lend'>;
  jobSpec: (run: RunRecord, mode: RunnerJob['mode']) => Promise<RunnerJob>;
  finishPlan: (run: RunRecord, outcome: PlanOutcome) => void;
  finishApply: (run: RunRecord, outcome: ApplyOutcome | LostApply) => void;
};

/** Runs plans and applies: hands them to a supervisor, follows its journal into the ledger, commits the outcome. */
export function createDeployJob(deps: Deps): Job {
  const { db, clock, folders, runner, runs } = deps;
  const deed = createRunDeed(deps.activity);

  async function execute(claimed: RunRecord, signal: AbortSignal): Promise<void> {
    const ready = await deps.toolbox.current();
    if (!ready) return fail(claimed, noTool);
    const { tool, host } = ready;
    const obstacle = deps.toolbox.findObstacle(host);
    if (obstacle !== undefined) return fail(claimed, { code: 'tool_unavailable', message: obstacle });
    const refusal = db.write(() => begin(claimed, tool));
    if (refusal) return fail(claimed, refusal);
    failpoint('deploy.execute');
    rmSync(runDirOf(folders, claimed.id), { recursive: true, force: true });
    failpoint('deploy.spec');
    const job = await deps.jobSpec(runs.getRecord(claimed.id), 'run');
    failpoint('deploy.hand');
    if (await hand(claimed.id, job, signal)) await persevere(claimed.id, signal);
  }

  /** What stands against a start; otherwise the Run is given its credentials, and that it has them is noted with its start. */
  function begin(run: RunRecord, tool: ToolIdentity): Refusal | undefined {
    const refusal = findStartRefusal(run, { ...deps, tool });
    if (refusal) return refusal;
    const served = deps.bound.begin(run, tool);
    if ('refusal' in served) return served.refusal;
    if (served.found) deps.grants.lend(run, served.found);
    runs.update(run.id, { journalOffset: 0 }, { toolName: tool.name, toolVersion: tool.version });
    runs.append(run.id, run.attempts > 1 ? [] : [auditItem(`${familyOf(run)}.started`, clock.now())]);
    return undefined;
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
        if (!(error instanceof RunnerError) || error.code !== 'busy') return turnBack(id, error);
        await sleep(busyPauseMs, undefined, { signal });
      }
    }
  }

  /**
   * The Job may have been given away all the same; then the journal is followed, and tells whether it was taken. Without
   * one the Run ends on a full disk, and is tried again for any other reason. True when there is something to follow.
   */
  function turnBack(id: string, error: unknown): boolean {
    const runDir = runDirOf(folders, id);
    if (runner.isAlive(runDir)) return true;
    if (isDiskFull(error)) fail(runs.getRecord(id), full);
    else if (existsSync(runDir)) return true;
    else retry(id);
    return false;
  }

  /** A person may cancel between the claim and the start: nothing was spawned yet, so the Run simply ends. */
  function cancelledMeanwhile(id: string): boolean {
    const run = runs.getRecord(id);
    if (run.input['cancelledBy'] === undefined || isApplyType(run.type)) return false;
    endCancelled(run);
    return true;
  }

  async function resume(run: RunRecord, signal: AbortSignal): Promise<void> {
    // Without its folder nothing tells how far a dispatched apply came, and it must never be made again.
    if (!existsSync(runDirOf(folders, run.id))) return isDispatched(run) ? fail(run, lost) : retry(run.id);
    if (isDispatched(run)) runs.append(run.id, [noteItem(clock.now(), restartedCode, restarted)]);
    await persevere(run.id, signal);
  }

  /** A fault of the server ends no Run whose supervisor works: it is listened to again, and without one a few times more. */
  async function persevere(id: string, signal: AbortSignal): Promise<void> {
    for (let faults = 1; ; faults += 1) {
      try {
        return await follow(id, signal);
      } catch (error) {
        const isLast = faults >= maxAttempts && !runner.isAlive(runDirOf(folders, id));
        // Whoever waits for the disk is woken by the queue.
        if (signal.aborted || isLedgerFault(error) || isLast) throw error;
        deps.log.error({ runId: id, ...faultFields(error) }, 'a Run could not be followed and is taken up again');
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

  /** Takes what is told as long as somebody tells it. False when the Run needs nobody any more. */
  async function takeAll(id: string, signal: AbortSignal): Promise<boolean> {
    const runDir = runDirOf(folders, id);
    const onRecords = (records: readonly JournalRecord[], nextOffset: number) => take(id, records, nextOffset);
    const end = await runner.follow(runDir, { fromOffset: soundOffset(id, runDir), onRecords, signal });
    if (signal.aborted || runs.getRecord(id).status !== 'running') return false;
    if (end === 'ended') throw new Error('the journal ended without an outcome');
    return true;
  }

  /** After a power cut a journal may end before the place up to which it was taken; what is added to it stands behind its new end. */
  function soundOffset(id: string, runDir: string): number {
    const { journalOffset } = runs.getRecord(id);
    const end = runner.mend(runDir) ?? journalOffset;
    if (end < journalOffset) runs.update(id, { journalOffset: end });
    return Math.min(end, journalOffset);
  }

  /** A supervisor that is gone without an outcome is replaced for an apply, and anything else is made again. True when there is one to follow. */
  async function takeOver(run: RunRecord, takeovers: number, signal: AbortSignal): Promise<boolean> {
    const isTired = takeovers >= maxAttempts;
    // Nothing survives its Run; a tool that still applies is the one exception, and it keeps the folder.
    const isFolderFree =
      (!isDispatched(run) || isTired) && (await runner.endLeftovers(path.join(folders.capsules, run.capsuleId ?? '')));
    if (!isDispatched(run)) retry(run.id);
    else if (isTired && isFolderFree) fail(run, lost);
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
        await runner.start(await deps.jobSpec(run, 'adopt'));
        return runs.append(run.id, [noteItem(clock.now(), replacedCode, replaced)]);
      } catch (error) {
        if (!(error instanceof RunnerError) && !isDiskFull(error)) throw error;
        deps.log.warn({ runId: run.id, ...faultFields(error) }, 'no supervisor took the apply over');
        await sleep(busyPauseMs, undefined, { signal });
        if (!isDiskFull(error)) return;
      }
    }
  }

  /** Feed, position in the journal and outcome belong to one transaction, so that nothing is told twice or lost. */
  function take(id: string, records: readonly JournalRecord[], journalOffset: number): void {
    failpoint('take.begin');
    db.write(() => {
      const { items, dispatched, outcome } = readRecords(records);
      runs.append(id, items);
      runs.update(id, { journalOffset, ...(dispatched && { input: { ...runs.getRecord(id).input, dispatched } }) });
      failpoint('take.records');
      if (outcome) finish(runs.getRecord(id), outcome);
    });
    failpoint('take.committed');
  }

  function finish(run: RunRecord, outcome: Outcome): void {
    failpoint('take.outcome');
    if (outcome.kind === 'plan') deps.finishPlan(run, outcome);
    else if (outcome.kind === 'apply') deps.finishApply(run, outcome);
    else if (outcome.errorCode === 'cancelled') endCancelled(run);
    else fail(run, { code: outcome.errorCode, message: outcome.message, isTold: true });
    failpoint('take.finished');
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
   * Ends a Run without an outcome of its apply. Its Capsule stays as it is, unless the provider was dispatched: then the
   * newest state that is left of it is committed. What a supervisor told stands in the feed already.
   */
  function fail(run: RunRecord, why: { code: RunErrorCode; message: string; isTold?: boolean }): void {
    const { code: errorCode, ...told } = why;
    if (isDispatched(run)) {
      db.write(() => deps.finishApply(run, { kind: 'lost', errorCode, ...told }));
      return;
    }
    const now = clock.now();
    const isDenied = errorCode === 'policy_denied';
    const data = isApplyType(run.type)
      ? { errorCode, providerDispatched: false, providerApplySucceeded: false }
      : { errorCode };
    db.write(() => {
      runs.move(run.id, 'fail', {
        set: { errorCode },
        facts: { phaseTimings: phaseTimingsOf(runs, run.id), ...(isDenied && { policyStatus: 'deny' as const }) },
        items: [
          ...(isDenied ? [auditItem('plan.policy_evaluated', now, { data: { policyStatus: 'deny' } })] : []),
          ...(why.isTold === true ? [] : [failureItem(now, errorCode, why.message)]),
          auditItem(endEventOf(run, 'failed'), now, { data }),
        ],
      });
      deed(run, 'run.failed', { metadata: { errorCode } });
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
      items: [auditItem(endEventOf(run, 'retry_scheduled'), clock.now())],
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
      const message = 'The Run failed unexpectedly on the server. Its log has the details.';
      // What the journal says may not have been heard: an apply that was handed over counts as begun.
      const dispatched = run.input['dispatched'] === true || existsSync(runDirOf(folders, run.id));
      fail({ ...run, input: { ...run.input, dispatched } }, { code, message });
    },
  };
}
