import type { ActivityService } from '#server/domains/activity/index';
import type { CapsulesService } from '#server/domains/capsules/index';
import type { ServerTool } from '#server/domains/execution/index';
import {
  type BoundPlans,
  factsOf,
  type GroupPosition,
  type PlanSeal,
  type PlansStore,
  type PolicyGate,
  refusalOf,
  scopeOf,
  toolOfNewRun,
  type WaitsFor,
} from '#server/domains/plans/index';
import type { RunnerPoolsService } from '#server/domains/runner-pools/index';
import { auditItem, createRunRecorder, isPlanRun, type PlanRun, type RunsService } from '#server/domains/runs/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { AppError } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import { present } from '#server/kernel/present';
import type { Capsule } from '#shared/capsules/contract';
import { isPlanType, type Run } from '#shared/runs/contract';
import { requireAppliable } from './apply-checks.ts';

export type AppliesService = ReturnType<typeof createAppliesService>;

type Deps = {
  db: Db;
  clock: Clock;
  store: Pick<PlansStore, 'findSeal'>;
  runs: RunsService;
  capsules: Pick<CapsulesService, 'getRow' | 'getCapsule'>;
  workspaces: Pick<WorkspacesService, 'requireLive'>;
  activity: Pick<ActivityService, 'record'>;
  bound: Pick<BoundPlans, 'hasChanged'>;
  policyGate: PolicyGate;
  runnerPools: Pick<RunnerPoolsService, 'requireUsable' | 'listPoolTools'>;
  pinnedToolVersion: string;
  /** Reports whether the files that an apply of this plan needs are still in the folder of its Run. */
  hasPlanFiles: (seal: Pick<PlanSeal, 'runId' | 'builtDigest'>) => boolean;
};

type ApplyInput = {
  actorId: string;
  planDigest?: string | undefined;
  /** Tool of the machine of the server; an apply in a pool waits for a machine with that of its plan. */
  tool: ServerTool;
  group?: GroupPosition & WaitsFor;
};
type ApplyResult = { run: Run; capsule: Capsule; isNew: boolean };

/** The rules of applies. Nothing here runs the tool: it queues Runs. */
export function createAppliesService(deps: Deps) {
  const { db, clock, store, runs, capsules } = deps;
  const recordActivity = createRunRecorder(deps.activity);

  function requireNow(plan: PlanRun, { tool: serverTool, planDigest }: ApplyInput): void {
    deps.runnerPools.requireUsable(plan.workspaceId, plan.runnerPool);
    const seal = store.findSeal(plan.id);
    const needed = seal && { name: seal.toolName, version: seal.toolVersion };
    const tool = toolOfNewRun({ poolId: plan.runnerPool, tool: serverTool, needed }, deps);
    requireAppliable(plan, {
      capsule: capsules.getRow(plan.capsuleId),
      seal,
      hasPlanFiles: seal !== undefined && deps.hasPlanFiles(seal),
      tool,
      planDigest,
      isDenied: () => deps.policyGate(plan, plan.id).length > 0,
      connectionsChanged: () => deps.bound.hasChanged(plan, tool),
      now: clock.now(),
      hasNewer: runs.findNewerPlan(plan) !== undefined,
    });
  }

  function create(plan: PlanRun, { actorId, group: requested }: ApplyInput): Run {
    const capsule = capsules.getRow(plan.capsuleId);
    const id = newId('apply');
    const { waitsFor, ...group } = requested ?? groupPosition(plan);
    if (!runs.store.consumePlan(plan.id, id))
      throw new AppError('conflict', 'Another apply of this plan was created first. Reload to see it.');
    const run = runs.create(
      {
        id,
        ...scopeOf(capsule),
        type: plan.type === 'destroy_plan' ? 'destroy_apply' : 'apply',
        createdBy: actorId,
        planRunId: plan.id,
        // The plan file names what this pool has, so its apply runs there.
        runnerPool: plan.runnerPool,
        planDigest: plan.planDigest,
        ...group,
        input: { ...pinnedBy(plan), ...(waitsFor && { waitsFor }) },
        facts: { ...factsOf(capsule), ...inheritedFacts(plan) },
        detail: inheritedDetail(plan),
      },
      [auditItem('apply.queued', clock.now(), { actor: actorId })],
    );
    recordActivity(run, 'run.apply_created', { actorId });
    return run;
  }

  /** The apply of a member belongs to its group, also when it was requested separately. */
  const groupPosition = ({ runGroupId, groupLayer }: PlanRun): Partial<GroupPosition & WaitsFor> =>
    runGroupId === null ? {} : { runGroupId, groupLayer: groupLayer ?? 0 };

  function replay(plan: PlanRun, applyRunId: string, actorId: string): ApplyResult {
    runs.append(applyRunId, [auditItem('apply.idempotent_replay', clock.now(), { actor: actorId })]);
    recordActivity(runs.getRecord(applyRunId), 'run.idempotent_replay', { actorId });
    return { run: runs.getRun(applyRunId), capsule: capsules.getCapsule(plan.capsuleId), isNew: false };
  }

  return {
    /**
     * Queues the apply of a reviewed plan, once: a repeated call returns the same apply. 409 with the reason when the
     * plan cannot be applied now.
     */
    apply(runId: string, input: ApplyInput): ApplyResult {
      return db.write(() => {
        const plan = runs.getRecord(runId);
        if (!isPlanRun(plan)) throw refusalOf(isPlanType(plan.type) ? 'plan_not_succeeded' : 'run_not_appliable');
        if (plan.applyRunId !== null) return replay(plan, plan.applyRunId, input.actorId);
        deps.workspaces.requireLive(plan.workspaceId);
        requireNow(plan, input);
        const run = create(plan, input);
        return { run, capsule: capsules.getCapsule(plan.capsuleId), isNew: true };
      });
    },
  };
}

/** Input that an apply takes over: what its plan waited for, and who cancelled it too late, concern only the plan. */
function pinnedBy({ input: { waitsFor: _waits, cancelledBy: _cancel, ...pinned } }: PlanRun) {
  return pinned;
}

/** Facts that an apply takes over from its plan. */
function inheritedFacts({ facts }: PlanRun) {
  const { ref, resolvedCommit, sourceSnapshotId, compatibilityReportId, dependencySnapshotId } = facts;
  const { providerLockDigest, summary, runEnvironmentEvidenceDigest, redactionProfileId } = facts;
  return present({
    ref,
    resolvedCommit,
    sourceSnapshotId,
    compatibilityReportId,
    dependencySnapshotId,
    providerLockDigest,
    summary,
    runEnvironmentEvidenceDigest,
    redactionProfileId,
  });
}

const inheritedDetail = ({ detail: { applyExpected, providerResolutions } }: PlanRun) =>
  present({ applyExpected, providerResolutions });
