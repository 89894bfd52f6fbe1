import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ActivityService } from '#server/domains/activity/index';
import type { CapsulesService } from '#server/domains/capsules/index';
import type { DependenciesService } from '#server/domains/dependencies/index';
import type { Grants } from '#server/domains/provider-bindings/index';
import { auditItem, type Job, type RunRecord, type RunsService, runKindOf } from '#server/domains/runs/index';
import type { StateVersionsService } from '#server/domains/state-versions/index';
import type { ToolIdentity } from '#server/drivers/tofu/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { failpoint } from '#server/kernel/failpoints';
import { faultFields, type Log } from '#server/kernel/log';
import { removeTree } from '#server/kernel/remove-tree';
import type { ApplyOutcome, PlanOutcome, Runner, Job as RunnerJob } from '#server/runner/index';
import { RunnerError } from '#server/runner/index';
import { capsuleRunTypes, isApplyType } from '#shared/runs/contract';
import { restartedCode } from '#shared/runs/orphans';
import type { LostApply } from './apply-end.ts';
import type { BoundPlans } from './bound.ts';
import { noteItem } from './ingest.ts';
import { type Folders, runDirOf } from './job-spec.ts';
import { busyPauseMs, createJournalFollower, isDiskFull, lost } from './journal-follower.ts';
import type { PolicyGate } from './policy-gate.ts';
import { createRunEnds, isDispatched } from './run-ends.ts';
import { findStartRefusal, type Refusal } from './start-checks.ts';
import { takeOutputs } from './start-outputs.ts';
import type { DeploysStore } from './store.ts';
import type { ToolManager } from './tool-manager.ts';

const noTool = {
  code: 'tool_unavailable' as const,
  message: 'Neither OpenTofu nor Terraform is installed any more. Install the pinned OpenTofu, then try again.',
};
const restarted = 'Ground Control was restarted while this apply ran.';
const full = {
  code: 'disk_full' as const,
  message: 'The disk of the data folder is full or read-only, so the Run did not start. Free some space and try again.',
};
type Deps = {
  db: Db;
  clock: Clock;
  log: Log;
  folders: Folders;
  concurrency: number;
  freeBytes: () => number;
  runner: Runner;
  toolManager: ToolManager;
  store: DeploysStore;
  runs: RunsService;
  capsules: Pick<CapsulesService, 'getRow'>;
  states: Pick<StateVersionsService, 'openCurrent' | 'findCurrentHead'>;
  dependencies: Pick<DependenciesService, 'findRefusal' | 'takeSnapshot'>;
  activity: Pick<ActivityService, 'record'>;
  bound: Pick<BoundPlans, 'start'>;
  policyGate: PolicyGate;
  grants: Pick<Grants, 'issue'>;
  jobSpec: (run: RunRecord, mode: RunnerJob['mode']) => Promise<RunnerJob>;
  finishPlan: (run: RunRecord, outcome: PlanOutcome) => void;
  finishApply: (run: RunRecord, outcome: ApplyOutcome | LostApply) => void;
};

/** Runs plans and applies: hands them to a supervisor, follows its journal into the ledger, commits the outcome. */
export function createDeployJob(deps: Deps): Job {
  const { db, clock, folders, runner, runs } = deps;
  const ends = createRunEnds(deps);
  const follow = createJournalFollower({ ...deps, ends });

  async function execute(claimed: RunRecord, signal: AbortSignal): Promise<void> {
    const ready = await deps.toolManager.current();
    if (!ready) return ends.fail(claimed, noTool);
    const { tool, host } = ready;
    const unavailableReason = deps.toolManager.findUnavailableReason(host);
    if (unavailableReason !== undefined)
      return ends.fail(claimed, { code: 'tool_unavailable', message: unavailableReason });
    const refusal = db.write(() => startRun(claimed, tool));
    if (refusal) return ends.fail(claimed, refusal);
    failpoint('deploy.execute');
    removeTree(runDirOf(folders, claimed.id));
    failpoint('deploy.spec');
    const job = await deps.jobSpec(runs.getRecord(claimed.id), 'run');
    failpoint('deploy.hand');
    if (await hand(claimed.id, job, signal)) await follow(claimed.id, signal);
  }

  /** Returns the reason that a Run must not start; otherwise issues its credentials, which are recorded with its start. */
  function startRun(claimed: RunRecord, tool: ToolIdentity): Refusal | undefined {
    const missing = takeOutputs(claimed, deps);
    if (missing) return missing;
    const run = runs.getRecord(claimed.id);
    const refusal = findStartRefusal(run, { ...deps, tool });
    if (refusal) return refusal;
    const bound = deps.bound.start(run, tool);
    if ('refusal' in bound) return bound.refusal;
    if (bound.resolution) deps.grants.issue(run, bound.resolution);
    runs.update(run.id, { journalOffset: 0 }, { toolName: tool.name, toolVersion: tool.version });
    runs.append(run.id, run.attempts > 1 ? [] : [auditItem(`${runKindOf(run)}.started`, clock.now())]);
    return undefined;
  }

  /** Hands the Run to a supervisor. Waits while another one still works in the Capsule's folder. False when the Run has changed. */
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
   * The Run may have been taken despite an error; then the journal is followed, which shows whether it was. Without a journal the Run ends
   * when the disk is full, and is tried again for any other reason. True when there is a journal to follow.
   */
  function turnBack(id: string, error: unknown): boolean {
    const runDir = runDirOf(folders, id);
    if (runner.isAlive(runDir)) return true;
    if (isDiskFull(error)) ends.fail(runs.getRecord(id), full);
    else if (existsSync(runDir)) return true;
    else ends.retry(id);
    return false;
  }

  /** A person may cancel between the claim and the start: no process exists yet, so the Run simply ends. */
  function cancelledMeanwhile(id: string): boolean {
    const run = runs.getRecord(id);
    if (run.input['cancelledBy'] === undefined || isApplyType(run.type)) return false;
    ends.endCancelled(run);
    return true;
  }

  async function resume(run: RunRecord, signal: AbortSignal): Promise<void> {
    // Without its folder the progress of a dispatched apply is unknown, and it must never run again.
    if (!existsSync(runDirOf(folders, run.id))) return isDispatched(run) ? ends.fail(run, lost) : ends.retry(run.id);
    if (isDispatched(run)) runs.append(run.id, [noteItem(clock.now(), restartedCode, restarted)]);
    await follow(run.id, signal);
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
      const message = 'The Run failed unexpectedly on the server. Read the log of the server.';
      // Journal records may be missing from the ledger: an apply that was handed over counts as started.
      const dispatched = run.input['dispatched'] === true || existsSync(runDirOf(folders, run.id));
      ends.fail({ ...run, input: { ...run.input, dispatched } }, { code, message });
    },
  };
}
