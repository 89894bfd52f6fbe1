import type { DeploysService, Toolbox } from '#server/deploys/index';
import type { RunsService } from '#server/runs/index';
import type { InspectionService, SourcesService } from '#server/sources/index';
import type { RevisionDiagnostic, RevisionDiagnosticCode } from '#shared/coordinators/revision';
import { limits } from '#shared/limits';
import { done, failed, type Step, waiting } from './reconcile.ts';
import type { RevisionFacts } from './schema.ts';
import type { RevisionRow } from './store.ts';

/** What the steps look at: the row, and what was made so far. */
export type RevisionState = RevisionFacts & { row: RevisionRow; reviewable?: true };
export type RevisionStep = Step<RevisionState, RevisionDiagnostic>;
export type RevisionStepPorts = {
  runs: Pick<RunsService, 'waitUntilSettled'>;
  sources: Pick<SourcesService, 'requestSync' | 'getSyncRun'>;
  inspection: Pick<InspectionService, 'check'>;
  deploys: Pick<DeploysService, 'createPlan'>;
  toolbox: Pick<Toolbox, 'require'>;
};

const waitMs = limits.reconcileWaitSeconds * 1_000;
const diagnose = (code: RevisionDiagnosticCode, message: string, more: Partial<RevisionDiagnostic> = {}) =>
  failed<RevisionDiagnostic>({ code, message: message.slice(0, 256), ...more });

/** The way from a ref to a reviewable plan of a Capsule, as a list; the Source keeps its own ref and path. */
export function createRevisionSteps(deps: RevisionStepPorts): readonly RevisionStep[] {
  const requestSync: RevisionStep = {
    name: 'request_sync',
    isDone: ({ sourceSyncRunId }) => sourceSyncRunId !== undefined,
    take:
      async ({ row }) =>
      () => {
        const { source, sourceId } = row.request;
        const lane = { ref: source.ref, path: source.path };
        const ask = { intent: 'manual_plan' as const, lane, actorId: row.createdBy };
        return done({ sourceSyncRunId: deps.sources.requestSync(sourceId, ask).run.id });
      },
  };

  const awaitSnapshot: RevisionStep = {
    name: 'await_snapshot',
    isDone: ({ sourceSnapshotId }) => sourceSnapshotId !== undefined,
    take: async ({ sourceSyncRunId = '' }) => {
      const run = await deps.runs.waitUntilSettled(sourceSyncRunId, waitMs);
      return () => {
        if (run.status === 'queued' || run.status === 'running') return waiting;
        const { sourceSnapshotId, errorCode, error } = deps.sources.getSyncRun(run.id);
        if (sourceSnapshotId !== undefined) return done({ sourceSnapshotId });
        const why = { planCreationStage: 'source' as const, ...(errorCode && { controllerCode: errorCode }) };
        return diagnose('source_sync_failed', error ?? 'The sync of the Source was cancelled.', why);
      };
    },
  };

  const checkCompatibility: RevisionStep = {
    name: 'check_compatibility',
    isDone: ({ compatibilityReportId }) => compatibilityReportId !== undefined,
    take: async ({ row, sourceSnapshotId }) => {
      const { sourceId, installModulePath: modulePath } = row.request;
      const commit = await deps.inspection.check({ sourceId, sourceSnapshotId, modulePath, actorId: row.createdBy });
      return () => {
        const { report, run } = commit();
        if (report.level === 'ready')
          return done({ compatibilityReportId: report.id, compatibilityCheckRunId: run.id });
        const worst = report.findings.find(({ compatibilityImpact }) => compatibilityImpact === report.level);
        return diagnose(
          'revision_compatibility_not_runnable',
          worst?.message ?? 'The module at this ref is not ready to be planned.',
          { planCreationStage: 'preparation', ...(worst && { reason: worst.code }) },
        );
      };
    },
  };

  const createPlan: RevisionStep = {
    name: 'create_plan',
    isDone: ({ planRunId }) => planRunId !== undefined,
    take: async ({ row, compatibilityReportId }) => {
      const { tool } = await deps.toolbox.require();
      return () => {
        const ask = { actorId: row.createdBy, reportId: compatibilityReportId, tool };
        return done({ planRunId: deps.deploys.createPlan(row.capsuleId, ask).id });
      };
    },
  };

  const awaitPlan: RevisionStep = {
    name: 'await_plan',
    isDone: ({ reviewable }) => reviewable === true,
    take: async ({ planRunId = '' }) => {
      const run = await deps.runs.waitUntilSettled(planRunId, waitMs);
      return () => {
        if (run.status === 'queued' || run.status === 'running') return waiting;
        if (run.status === 'succeeded' || run.status === 'waiting_approval') return done({ reviewable: true });
        return diagnose('plan_run_failed', `The plan ended as ${run.status}. Its Run ${run.id} says why.`, {
          planCreationStage: 'create',
          ...(run.errorCode !== null && { controllerCode: run.errorCode }),
        });
      };
    },
  };

  return [requestSync, awaitSnapshot, checkCompatibility, createPlan, awaitPlan];
}
