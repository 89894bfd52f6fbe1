import { existsSync } from 'node:fs';
import type { ActivityService } from '#server/domains/activity/index';
import {
  AbandonedError,
  type ApplyRun,
  type CapsuleRun,
  isApplyRun,
  noteItem,
  type PlanRun,
  type RunHandler,
  type Slot,
} from '#server/domains/runs/index';
import type { Db } from '#server/kernel/db';
import { failpoint } from '#server/kernel/failpoints';
import type { Log } from '#server/kernel/log';
import { removeTree } from '#server/kernel/remove-tree';
import type { WorkGate } from '#server/kernel/work-gate';
import { type ApplyOutcome, isDamage, type Job, type PlanOutcome, type RunnerDriver } from '#server/runner/index';
import { applyTypes, localPool, planTypes } from '#shared/runs/contract';
import { restartedCode } from '#shared/runs/orphans';
import { createFenceStep, type FencePorts } from './fence-step.ts';
import { type Folders, runDirOf } from './folders.ts';
import { createHandOver, type Start } from './hand-over.ts';
import { createJournalFollower, lost } from './journal-follower.ts';
import { createMintStep, type MintPorts } from './mint-step.ts';
import { createRunEnds, isCommitted, isDispatched, type LostApply, type RunEnds } from './run-ends.ts';
import type { RunTool } from './start-checks.ts';
import { type StartPorts, startRun } from './start-run.ts';
import type { ToolManager } from './tool-manager.ts';

const noTool = {
  code: 'tool_unavailable' as const,
  message: 'Neither OpenTofu nor Terraform is installed any more. Install the pinned OpenTofu, then try again.',
};
const restarted = 'Ground Control was restarted while this apply ran.';

/** The lifecycle actions around the tool. */
export type ActionsPort = {
  /** Resolves to true when the tool may start; otherwise the Run has ended. */
  beforeTool(run: CapsuleRun, signal: AbortSignal): Promise<boolean>;
  /** Ends a Run whose state is committed. */
  afterCommit(run: ApplyRun, signal: AbortSignal): Promise<void>;
  isBeforeTool(run: CapsuleRun): boolean;
  cancel(run: CapsuleRun): void;
  /** Ends a Run whose actions are not carried on. */
  abandon(run: ApplyRun, message?: string): void;
  /** Gives the actions that have none a result, without ending the Run. */
  endUnfinished(run: ApplyRun, message: string): void;
};

type Deps = StartPorts &
  MintPorts &
  FencePorts & {
    db: Db;
    actions: ActionsPort;
    log: Log;
    workGate: Pick<WorkGate, 'mayAct'>;
    folders: Folders;
    concurrency: number;
    driver: RunnerDriver;
    toolManager: ToolManager;
    /** Returns the tool of the machine that has claimed a Run of a pool. */
    findMachineTool: (runId: string) => RunTool | undefined;
    activity: Pick<ActivityService, 'record'>;
    buildJob: (run: CapsuleRun, mode: Job['mode']) => Promise<Job>;
    finishPlan: (run: PlanRun, outcome: PlanOutcome) => void;
    finishApply: (run: ApplyRun, outcome: ApplyOutcome | LostApply) => void;
  };

/** Returns the tool that Runs can use now, or the reason why there is none. */
async function findTool(toolManager: ToolManager) {
  const ready = await toolManager.current();
  if (!ready) return { refusal: noTool };
  const message = toolManager.findUnavailableReason(ready.host);
  return message === undefined ? { tool: ready.tool } : { refusal: { code: 'tool_unavailable' as const, message } };
}

const unexpected = 'The Run failed unexpectedly on the server. Read the log of the server.';

/** Runs plans and applies: hands them to a supervisor, follows its journal into the ledger, commits the outcome. */
export function createExecutionHandler(deps: Deps): RunHandler<CapsuleRun> {
  const { db, clock, folders, driver, runs, actions } = deps;
  const ends = createRunEnds(deps);
  const follow = createJournalFollower({ ...deps, ends });
  const fenceStep = createFenceStep({ ...deps, ends });
  const handOver = createHandOver({ ...deps, ends, passFence: fenceStep.pass });
  const mint = createMintStep({ ...deps, ends });

  async function execute(claimed: CapsuleRun, signal: AbortSignal, slot: Slot): Promise<void> {
    const current = claimed.runnerPool === localPool ? await findTool(deps.toolManager) : machineTool(claimed.id);
    if (current === undefined) return ends.retry(claimed.id);
    if ('refusal' in current) return ends.fail(claimed, current.refusal);
    const { tool } = current;
    if (!(await fenceStep.pass(claimed, signal, slot))) return;
    const { refusal, pending } = db.write(() => startRun(claimed, tool, deps));
    if (refusal) return ends.fail(claimed, refusal);
    if (pending && !(await mint(claimed, { tool, resolution: pending, signal }))) return;
    failpoint('deploy.execute');
    await start(claimed, { signal, slot });
  }

  function machineTool(runId: string): { tool: RunTool } | undefined {
    const tool = deps.findMachineTool(runId);
    return tool && { tool };
  }

  /** Hands the Run to a supervisor, after the actions that come first. */
  async function start(claimed: CapsuleRun, { signal, slot }: Start): Promise<void> {
    if (!(await actions.beforeTool(runs.getCapsuleRun(claimed.id), signal))) return;
    removeTree(runDirOf(folders, claimed.id));
    failpoint('deploy.spec');
    const job = await deps.buildJob(runs.getCapsuleRun(claimed.id), 'run');
    failpoint('deploy.hand');
    if (await handOver(job, { signal, slot })) await followAll(claimed.id, signal);
  }

  /** Follows the tool to its end, and then runs the actions that come after it. */
  async function followAll(id: string, signal: AbortSignal): Promise<void> {
    await follow(id, signal);
    const run = runs.getCapsuleRun(id);
    if (!signal.aborted && run.status === 'running' && isApplyRun(run) && isCommitted(run))
      await runAfterCommit(run, signal);
  }

  /** Runs the actions after the tool. A server that may not act leaves them to the resumption of the Run. */
  async function runAfterCommit(run: ApplyRun, signal: AbortSignal): Promise<void> {
    if (deps.workGate.mayAct()) await actions.afterCommit(run, signal);
  }

  /** Continues an apply whose actions come before its tool. */
  async function resumeStart(run: CapsuleRun, { signal, slot }: Start): Promise<void> {
    if (await fenceStep.pass(run, signal, slot)) await start(run, { signal, slot });
  }

  async function resume(run: CapsuleRun, signal: AbortSignal, slot: Slot): Promise<void> {
    if (isApplyRun(run) && isCommitted(run)) return runAfterCommit(run, signal);
    const hasFolder = existsSync(runDirOf(folders, run.id));
    if (actions.isBeforeTool(run) && !hasFolder) return resumeStart(run, { signal, slot });
    // Without its folder the progress of a dispatched apply is unknown, and it must never run again.
    if (!hasFolder) return isDispatched(run) ? ends.fail(run, lost) : ends.retry(run.id);
    if (isDispatched(run)) runs.append(run.id, [noteItem(clock.now(), restartedCode, restarted)]);
    await followAll(run.id, signal);
  }

  return {
    types: [...planTypes, ...applyTypes],
    concurrency: deps.concurrency,
    execute,
    resume,
    isFollowed: (run) => !isCommitted(run) && existsSync(runDirOf(folders, run.id)),
    cancel(run) {
      fenceStep.cancel(run.id);
      mint.cancel(run.id);
      driver.cancel(run.id);
      actions.cancel(run);
    },
    fault: createFault({ db, folders, actions, ends }),
  };
}

type FaultPorts = Pick<Deps, 'db' | 'folders' | 'actions'> & { ends: RunEnds };

/** Moves Runs whose handling ended with an error. */
function createFault({ db, folders, actions, ends }: FaultPorts): RunHandler<CapsuleRun>['fault'] {
  /** Ends a Run that may have gone on elsewhere: an apply counts as dispatched, whatever the ledger says. */
  function abandon(run: CapsuleRun, { message }: AbandonedError): void {
    if (!isApplyRun(run)) ends.fail(run, { code: 'plan_failed', message });
    else if (isCommitted(run)) actions.abandon(run, message);
    else {
      actions.endUnfinished(run, message);
      ends.fail(run, { ...lost, message, dispatched: true });
    }
  }

  return (run, error) => {
    if (run.status !== 'running') return;
    if (error instanceof AbandonedError) return db.write(() => abandon(run, error));
    const isActing = isCommitted(run) || (actions.isBeforeTool(run) && !existsSync(runDirOf(folders, run.id)));
    if (isActing && isApplyRun(run)) return db.write(() => actions.abandon(run));
    const code = isApplyRun(run) ? 'apply_failed' : 'plan_failed';
    // Journal records may be missing from the ledger: an apply that was handed over counts as started.
    const dispatched = run.input.dispatched === true || existsSync(runDirOf(folders, run.id));
    const message = isDamage(error) ? error.message : unexpected;
    ends.fail(run, { code, message, dispatched });
  };
}
