import type { ToolManager } from '#server/domains/execution/index';
import type { PlansService } from '#server/domains/plans/index';
import type { RunsService } from '#server/domains/runs/index';
import type { InspectionService, SourcesService } from '#server/domains/sources/index';
import { required } from '#server/kernel/required';
import type { RequiredInterfaceFault } from '#shared/interfaces/required';
import { limits } from '#shared/limits';
import type { SourceSyncRun } from '#shared/sources/contract';
import type { Diagnostic } from './plan-record.ts';
import { done, failed, finished, type Step, waiting } from './reconcile.ts';
import type { InstallFacts } from './schema.ts';

/** Common input of the steps of installations and updates: the caller, the lane, and the records created so far. */
export type PlanState = Omit<InstallFacts, 'installConfigBaseId' | 'installConfigBaseDigest' | 'installConfigId'> & {
  row: {
    createdBy: string;
    request: { source: { ref: string; path: string }; options?: { installLink?: true | undefined } | undefined };
  };
};
type PlanFacts = Pick<InstallFacts, 'sourceSyncRunId' | 'sourceSnapshotId' | 'planRunId'>;
type PlanStep = Step<
  PlanState,
  PlanFacts,
  | 'source_sync_failed'
  | 'source_sync_scope_mismatch'
  | 'source_snapshot_missing'
  | 'plan_run_failed'
  | 'plan_run_identity_conflict'
  | RequiredInterfaceFault
>;

export type PlanStepPorts = {
  runs: Pick<RunsService, 'waitUntilSettled'>;
  sources: Pick<SourcesService, 'requestSync' | 'getSyncRun'>;
  inspection: Pick<InspectionService, 'check'>;
  plans: Pick<PlansService, 'createPlan' | 'findRequirementFault'>;
  toolManager: Pick<ToolManager, 'find'>;
};

const waitMs = limits.reconcileWaitSeconds * 1_000;
type Run = Awaited<ReturnType<RunsService['waitUntilSettled']>>;
const isUnderWay = ({ status }: Run): boolean => status === 'queued' || status === 'running';

/** Ends a record without a plan. Messages are cut to the length of a diagnostic. */
export const diagnose = <C extends string>(
  code: C,
  message: string,
  more: Omit<Diagnostic<C>, 'code' | 'message'> = {},
) => failed<C>({ code, message: message.slice(0, 256), ...more });

/** The lane of a plan: a ref and a path of the Source. */
export const laneOf = ({ row: { request } }: PlanState) => ({ ref: request.source.ref, path: request.source.path });

const syncMismatch = 'The sync Run belongs to another Source, ref or path. Start again.';
const snapshotMissing = 'The sync ended without a snapshot. Sync the Source again.';
const planMismatch = 'The plan Run belongs to another Capsule or compatibility report. Start again.';

function isSyncOf({ sourceId, ref, path }: SourceSyncRun, state: PlanState): boolean {
  const lane = laneOf(state);
  return sourceId === state.sourceId && ref === lane.ref && path === lane.path;
}

const isPlanOf = ({ type, capsuleId, facts }: Run, state: PlanState): boolean =>
  type === 'plan' && capsuleId === state.capsuleId && facts.compatibilityReportId === state.compatibilityReportId;

/** Steps from a Source to one of its snapshots: `request_sync`, `await_snapshot`. */
function createSyncSteps({ runs, sources }: PlanStepPorts): { requestSync: PlanStep; awaitSnapshot: PlanStep } {
  const requestSync: PlanStep = {
    name: 'request_sync',
    stage: 'source',
    isDone: ({ sourceSyncRunId, sourceSnapshotId }) => sourceSyncRunId !== undefined || sourceSnapshotId !== undefined,
    take: async (state) => () => {
      const input = { intent: 'manual_plan' as const, lane: laneOf(state), actorId: state.row.createdBy };
      return done({ sourceSyncRunId: sources.requestSync(required(state.sourceId, 'Source'), input).run.id });
    },
  };

  const awaitSnapshot: PlanStep = {
    name: 'await_snapshot',
    stage: 'source',
    isDone: ({ sourceSnapshotId }) => sourceSnapshotId !== undefined,
    take: async (state) => {
      const run = await runs.waitUntilSettled(required(state.sourceSyncRunId, 'sync Run'), waitMs);
      return () => {
        if (isUnderWay(run)) return waiting;
        const sync = sources.getSyncRun(run.id);
        if (!isSyncOf(sync, state)) return diagnose('source_sync_scope_mismatch', syncMismatch);
        const { sourceSnapshotId, errorCode, error } = sync;
        if (sourceSnapshotId !== undefined) return done({ sourceSnapshotId });
        if (run.status === 'succeeded') return diagnose('source_snapshot_missing', snapshotMissing);
        return diagnose('source_sync_failed', error ?? 'The sync of the Source was cancelled.', {
          ...(errorCode && { controllerCode: errorCode }),
        });
      };
    },
  };
  return { requestSync, awaitSnapshot };
}

/** Steps from a Capsule to a plan to review: `create_plan`, `await_plan`. */
function createReviewSteps(ports: PlanStepPorts): { createPlan: PlanStep; awaitPlan: PlanStep } {
  const createPlan: PlanStep = {
    name: 'create_plan',
    stage: 'create',
    isDone: ({ planRunId }) => planRunId !== undefined,
    take: async ({ row, capsuleId, compatibilityReportId: reportId }) => {
      const tool = await ports.toolManager.find();
      return () => {
        const cause = row.request.options?.installLink && { cause: 'install_link' as const };
        const input = { actorId: row.createdBy, reportId, tool, ...cause };
        return done({ planRunId: ports.plans.createPlan(required(capsuleId, 'Capsule'), input).id });
      };
    },
  };

  const awaitPlan: PlanStep = {
    name: 'await_plan',
    stage: 'create',
    isDone: () => false,
    take: async (state) => {
      const run = await ports.runs.waitUntilSettled(required(state.planRunId, 'plan Run'), waitMs);
      return () => {
        if (isUnderWay(run)) return waiting;
        if (!isPlanOf(run, state)) return diagnose('plan_run_identity_conflict', planMismatch);
        if (run.status === 'succeeded' || run.status === 'waiting_approval') return finished;
        const fault = ports.plans.findRequirementFault(run.id);
        if (fault) return diagnose(fault.code, fault.message, { controllerCode: 'plan_failed' });
        return diagnose('plan_run_failed', `The plan ended as ${run.status}. Read the log of its Run ${run.id}.`, {
          ...(run.errorCode !== null && { controllerCode: run.errorCode }),
        });
      };
    },
  };
  return { createPlan, awaitPlan };
}

/** Steps that installations and updates have in common. */
export const createPlanSteps = (ports: PlanStepPorts) => ({ ...createSyncSteps(ports), ...createReviewSteps(ports) });
