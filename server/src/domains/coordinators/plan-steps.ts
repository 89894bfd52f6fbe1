import type { DeploysService, Toolbox } from '#server/domains/deploys/index';
import type { RunsService } from '#server/domains/runs/index';
import type { InspectionService, SourcesService } from '#server/domains/sources/index';
import type { RevisionDiagnosticCode } from '#shared/coordinators/revision';
import { limits } from '#shared/limits';
import type { Finding } from '#shared/sources/module-scan';
import type { CompatibilityReport } from '#shared/sources/report';
import type { Diagnostic } from './plan-record.ts';
import { done, failed, finished, type Step, waiting } from './reconcile.ts';
import type { InstallFacts } from './schema.ts';

/** What the steps of every way to a plan look at: who asked for which lane, and what was made so far. */
export type PlanState = Omit<InstallFacts, 'installConfigBaseId' | 'installConfigBaseDigest' | 'installConfigId'> & {
  row: { createdBy: string; request: { source: { ref: string; path: string } } };
};
type Made = Pick<InstallFacts, 'sourceSyncRunId' | 'sourceSnapshotId' | 'planRunId'>;
type PlanStep = Step<PlanState, Made, 'source_sync_failed' | 'plan_run_failed'>;

export type PlanStepPorts = {
  runs: Pick<RunsService, 'waitUntilSettled'>;
  sources: Pick<SourcesService, 'requestSync' | 'getSyncRun'>;
  inspection: Pick<InspectionService, 'check'>;
  deploys: Pick<DeploysService, 'createPlan'>;
  toolbox: Pick<Toolbox, 'require'>;
};

const waitMs = limits.reconcileWaitSeconds * 1_000;
type Run = Awaited<ReturnType<RunsService['waitUntilSettled']>>;
const isUnderWay = ({ status }: Run): boolean => status === 'queued' || status === 'running';

/** The end of a way that leads to no plan. Messages are cut to what a diagnostic holds. */
export const diagnose = <C extends RevisionDiagnosticCode>(
  code: C,
  message: string,
  more: Omit<Diagnostic<C>, 'code' | 'message'> = {},
) => failed<C>({ code, message: message.slice(0, 256), ...more });

/** The lane a plan is made from: a ref and a path of the Source. */
export const laneOf = ({ row: { request } }: PlanState) => ({ ref: request.source.ref, path: request.source.path });

/** From a Source to one of its snapshots: `request_sync`, `await_snapshot`. */
export function createSyncSteps({ runs, sources }: PlanStepPorts): { requestSync: PlanStep; awaitSnapshot: PlanStep } {
  const requestSync: PlanStep = {
    name: 'request_sync',
    isDone: ({ sourceSyncRunId, sourceSnapshotId }) => sourceSyncRunId !== undefined || sourceSnapshotId !== undefined,
    take: async (state) => () => {
      const ask = { intent: 'manual_plan' as const, lane: laneOf(state), actorId: state.row.createdBy };
      return done({ sourceSyncRunId: sources.requestSync(state.sourceId ?? '', ask).run.id });
    },
  };

  const awaitSnapshot: PlanStep = {
    name: 'await_snapshot',
    isDone: ({ sourceSnapshotId }) => sourceSnapshotId !== undefined,
    take: async ({ sourceSyncRunId = '' }) => {
      const run = await runs.waitUntilSettled(sourceSyncRunId, waitMs);
      return () => {
        if (isUnderWay(run)) return waiting;
        const { sourceSnapshotId, errorCode, error } = sources.getSyncRun(run.id);
        if (sourceSnapshotId !== undefined) return done({ sourceSnapshotId });
        const why = { planCreationStage: 'source' as const, ...(errorCode && { controllerCode: errorCode }) };
        return diagnose('source_sync_failed', error ?? 'The sync of the Source was cancelled.', why);
      };
    },
  };
  return { requestSync, awaitSnapshot };
}

/** From a Capsule to a plan to review: `create_plan`, `await_plan`. */
export function createReviewSteps(ports: PlanStepPorts): { createPlan: PlanStep; awaitPlan: PlanStep } {
  const createPlan: PlanStep = {
    name: 'create_plan',
    isDone: ({ planRunId }) => planRunId !== undefined,
    take: async ({ row, capsuleId, compatibilityReportId: reportId }) => {
      const { tool } = await ports.toolbox.require();
      return () => {
        const ask = { actorId: row.createdBy, reportId, tool };
        return done({ planRunId: ports.deploys.createPlan(capsuleId ?? '', ask).id });
      };
    },
  };

  const awaitPlan: PlanStep = {
    name: 'await_plan',
    isDone: () => false,
    take: async ({ planRunId = '' }) => {
      const run = await ports.runs.waitUntilSettled(planRunId, waitMs);
      return () => {
        if (isUnderWay(run)) return waiting;
        if (run.status === 'succeeded' || run.status === 'waiting_approval') return finished;
        return diagnose('plan_run_failed', `The plan ended as ${run.status}. Its Run ${run.id} says why.`, {
          planCreationStage: 'create',
          ...(run.errorCode !== null && { controllerCode: run.errorCode }),
        });
      };
    },
  };
  return { createPlan, awaitPlan };
}

/** Checks the chosen module of the snapshot, also by the policy of a configuration; what comes back commits the report. */
export const checkModule = (
  { inspection }: Pick<PlanStepPorts, 'inspection'>,
  { row, sourceId = '', sourceSnapshotId, installModulePath: modulePath }: PlanState,
  installConfigId: string | undefined,
) => inspection.check({ sourceId, sourceSnapshotId, modulePath, installConfigId, actorId: row.createdBy });

/** Puts the file before the message, which does not repeat it. */
export const findingText = ({ path, message }: Pick<Finding, 'path' | 'message'>): string =>
  path === undefined || path === '.' ? message : `${path}: ${message}`;

/** What speaks against planning a module that was checked, where something does. */
export function findUnready(report: CompatibilityReport): { message: string | undefined; reason?: string } | undefined {
  if (report.level === 'ready') return undefined;
  const worst = report.findings.find(({ compatibilityImpact }) => compatibilityImpact === report.level);
  return { message: worst && findingText(worst), ...(worst && { reason: worst.code }) };
}
