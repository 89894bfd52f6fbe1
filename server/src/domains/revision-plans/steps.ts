import type { RevisionDiagnosticCode } from '#shared/revision-plans/revision-plan';
import {
  checkModule,
  createReviewSteps,
  createSyncSteps,
  diagnose,
  findUnready,
  type PlanState,
  type PlanStepPorts,
} from '../install-plans/plan-steps.ts';
import { done, type Step } from '../install-plans/reconcile.ts';
import type { RevisionFacts } from '../install-plans/schema.ts';
import type { RevisionRow } from '../install-plans/store.ts';

/** Input of the steps: the row, its base, and the records created so far. */
export type RevisionState = PlanState & { row: RevisionRow };
export type RevisionStep = Step<RevisionState, RevisionFacts, RevisionDiagnosticCode>;

/** The ordered steps from a ref to a reviewable plan of a Capsule; the Source keeps its own ref and path. */
export function createRevisionSteps(ports: PlanStepPorts): readonly RevisionStep[] {
  const { requestSync, awaitSnapshot } = createSyncSteps(ports);
  const { createPlan, awaitPlan } = createReviewSteps(ports);

  const checkCompatibility: RevisionStep = {
    name: 'check_compatibility',
    stage: 'preparation',
    isDone: ({ compatibilityReportId }) => compatibilityReportId !== undefined,
    take: async (state) => {
      const commit = await checkModule(ports, state, state.row.request.revision.base.installConfigId);
      return () => {
        const { report, run } = commit();
        const unready = findUnready(report);
        if (!unready) return done({ compatibilityReportId: report.id, compatibilityCheckRunId: run.id });
        const {
          message = 'The module at this ref is not ready to be planned. Read its compatibility report.',
          ...why
        } = unready;
        return diagnose('revision_compatibility_not_runnable', message, why);
      };
    },
  };

  return [requestSync, awaitSnapshot, checkCompatibility, createPlan, awaitPlan];
}
