import type { CapsulesService } from '#server/domains/capsules/index';
import { actionJobId } from '#server/domains/execution/index';
import type { InstallConfigsService } from '#server/domains/install-configs/index';
import { type ApplyRun, type CapsuleRun, isApplyRun, phaseItem, type RunsService } from '#server/domains/runs/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import type { RunErrorCode } from '#shared/errors';
import type { LifecycleAction, LifecyclePhase } from '#shared/install-configs/lifecycle';
import { createActionEnd, letsContinue, type RunAction } from './action-end.ts';
import { createActionInput, type InputPorts } from './action-input.ts';
import { createActionJobs, type JobPorts } from './action-job.ts';
import { createOperatorActions } from './operator-action.ts';
import { createRunnerActions } from './runner-action.ts';
import type { LifecycleStore } from './store.ts';

/**
 * End of the actions of a Run: all succeeded, or the first that did not stopped the rest. `failure` is a cause other than
 * the result of an action.
 */
export type ActionsEnd = { succeeded: boolean; failure?: { code: RunErrorCode; message: string } };

const serverFailure = 'The server failed unexpectedly. Read its log.';
const interrupted: ActionsEnd = {
  succeeded: false,
  failure: {
    code: 'apply_interrupted',
    message: 'The destroy was interrupted before its tool was started. Plan the destroy again.',
  },
};

type Deps = Parameters<typeof createActionEnd>[0] &
  Omit<Parameters<typeof createRunnerActions>[0], 'inputOf' | 'jobOf' | 'end'> &
  Omit<Parameters<typeof createOperatorActions>[0], 'inputOf' | 'end'> &
  InputPorts &
  JobPorts & {
    db: Db;
    clock: Clock;
    store: LifecycleStore;
    runs: Pick<RunsService, 'getCapsuleRun' | 'append' | 'onMoving'>;
    configs: Pick<InstallConfigsService, 'getPrivate'>;
    capsules: Pick<CapsulesService, 'markUnsafe'>;
    /** Ends a Run after its actions, in one transaction. */
    finish: (run: ApplyRun, end: ActionsEnd) => void;
  };

export type Lifecycle = ReturnType<typeof createLifecycle>;

/** Runs the actions of one phase of a Run, each to its result. */
function createPhases(deps: Deps) {
  const { db, clock, runs, store, configs } = deps;
  const end = createActionEnd(deps);
  const inputOf = createActionInput(deps);
  const runInSandbox = createRunnerActions({ ...deps, inputOf, jobOf: createActionJobs(deps), end });
  const sendToOperator = createOperatorActions({ ...deps, inputOf, end });
  const cancelling = new Map<string, AbortController>();

  const actionsOf = (run: CapsuleRun): readonly LifecycleAction[] =>
    configs.getPrivate(run.input.installConfigId).parts.lifecycleActions ?? [];

  /** Writes the row of an action before anything is started or sent. */
  function open({ run, action, key }: RunAction): void {
    const { id: actionId, phase, executor } = action;
    const { workspaceId, capsuleId } = run;
    db.write(() => {
      if (store.list(run.id).every((row) => row.phase !== phase))
        runs.append(run.id, [phaseItem('lifecycle', 'started', clock.now())]);
      const row = { ...key, workspaceId, capsuleId, actionId, phase, executor, startedAt: clock.now() };
      store.insert({ ...row, invoked: false, evidence: {} });
    });
  }

  /** Returns true when the action lets the Run continue. */
  async function runOne(one: RunAction, signal: AbortSignal): Promise<boolean> {
    if (store.find(one.key) === undefined) open(one);
    if (store.find(one.key)?.result === null) {
      const { cleanupFor, executor } = one.action;
      if (cleanupFor !== undefined && !store.hasTakenEffect(one.run.capsuleId, cleanupFor))
        end(one, { result: 'not_applicable' });
      else if (executor === 'runner') await runInSandbox(one, signal);
      else await sendToOperator(one, { stopping: signal, cancelled: cancelledSignal(one.run.id) });
    }
    return letsContinue(store.find(one.key)?.result ?? 'failed');
  }

  const cancelledSignal = (runId: string): AbortSignal => {
    const controller = cancelling.get(runId) ?? new AbortController();
    cancelling.set(runId, controller);
    return controller.signal;
  };

  async function runPhase(run: ApplyRun, phase: LifecyclePhase, signal: AbortSignal): Promise<boolean> {
    try {
      for (const [position, action] of actionsOf(run).entries()) {
        if (action.phase !== phase) continue;
        if (!(await runOne({ run, action, key: { runId: run.id, position } }, signal))) return false;
      }
      return true;
    } finally {
      cancelling.delete(run.id);
    }
  }

  return { actionsOf, end, runPhase, cancelling };
}

/**
 * Runs the lifecycle actions of applies and destroys, in list order. The actions are those of the configuration that
 * the plan was made with. No action is started or sent twice for one Run.
 */
export function createLifecycle(deps: Deps) {
  const { db, clock, runs, store, finish } = deps;
  const { actionsOf, end, runPhase, cancelling } = createPhases(deps);
  markUnsafeDestroys(deps);
  recordNothingToActivate(deps);

  const closePhase = (run: ApplyRun): void =>
    store.list(run.id).length > 0 ? runs.append(run.id, [phaseItem('lifecycle', 'finished', clock.now())]) : undefined;

  /** Gives every action that has none a result, in the caller's transaction. */
  function endUnfinished(run: ApplyRun, message: string): void {
    for (const [position, action] of actionsOf(run).entries()) {
      const key = { runId: run.id, position };
      const row = store.find(key);
      if (row && row.result === null)
        end({ run, action, key }, { result: 'failed', message, isEndKnown: !row.invoked });
    }
  }

  return {
    /** Runs the actions before a destroy. Resolves to true when the tool may start; otherwise the Run has ended. */
    async beforeTool(run: CapsuleRun, signal: AbortSignal): Promise<boolean> {
      if (!isApplyRun(run) || run.type !== 'destroy_apply') return true;
      if (!actionsOf(run).some(({ phase }) => phase === 'pre_destroy')) return true;
      const succeeded = await runPhase(run, 'pre_destroy', signal);
      const isCancelled = runs.getCapsuleRun(run.id).input.cancelledBy !== undefined;
      db.write(() => {
        closePhase(run);
        if (!succeeded) finish(run, { succeeded });
        else if (isCancelled) finish(run, interrupted);
      });
      return succeeded && !isCancelled;
    },

    /** Runs the actions after an apply whose state is committed, and ends the Run. */
    async afterCommit(run: ApplyRun, signal: AbortSignal): Promise<void> {
      const succeeded = await runPhase(run, 'post_apply', signal);
      db.write(() => {
        closePhase(run);
        finish(run, { succeeded });
      });
    },

    /**
     * True while an action before the tool of a destroy has no result. Between actions and after the last one a restart
     * checks the Run again, and then goes on after the last stored result.
     */
    isBeforeTool: (run: CapsuleRun): boolean =>
      run.type === 'destroy_apply' && store.list(run.id).some(({ result }) => result === null),

    /** Interrupts the action that runs now. */
    cancel(run: CapsuleRun): void {
      cancelling.get(run.id)?.abort();
      const running = store.list(run.id).find(({ result }) => result === null);
      if (running?.executor === 'runner') deps.driver.cancel(actionJobId(running));
    },

    endUnfinished,

    /** Ends a Run whose actions are not carried on: because of an error of the server, or for the given reason. */
    abandon(run: ApplyRun, message = serverFailure): void {
      endUnfinished(run, message);
      const hasCause = store.list(run.id).some(({ result }) => result !== null && !letsContinue(result));
      const failure = { code: 'apply_failed' as const, message };
      finish(run, { succeeded: false, ...(!hasCause && { failure }) });
    },
  };
}

/**
 * Marks a Capsule unsafe when its destroy fails before the tool was started and an action may have had an effect. After
 * the tool was started the commit of the Run does that.
 */
function markUnsafeDestroys({ runs, store, capsules }: Pick<Deps, 'runs' | 'store' | 'capsules'>): void {
  runs.onMoving((run) => {
    const hasFailed = run.status === 'failed' || run.status === 'cancelled';
    if (run.type !== 'destroy_apply' || !hasFailed || run.capsuleId === null) return;
    const wasDispatched = isApplyRun(run) && run.input.dispatched === true;
    if (!wasDispatched && store.list(run.id).some(({ invoked }) => invoked)) capsules.markUnsafe(run.capsuleId);
  });
}

/** Records that an apply declares no action for the release activator that the operator has set up. */
function recordNothingToActivate({ runs, store, activator, activity }: Deps): void {
  if (activator === undefined) return;
  runs.onMoving((run) => {
    if (run.type !== 'apply' || run.status !== 'succeeded' || run.capsuleId === null) return;
    if (store.list(run.id).length > 0) return;
    activity.record({
      workspaceId: run.workspaceId,
      action: 'release_activation.not_applicable',
      targetType: 'capsule',
      targetId: run.capsuleId,
      runId: run.id,
      metadata: {},
    });
  });
}
