import {
  createCheckStep,
  createPlanSteps,
  done,
  guardStep,
  type PlanState,
  type PlanStepPorts,
  type Step,
} from '#server/domains/install-plans/index';
import type { RevisionDiagnosticCode } from '#shared/revision-plans/revision-plan';
import { type BasePorts, isOnBase } from './base.ts';
import type { RevisionFacts } from './schema.ts';
import type { RevisionRow } from './store.ts';

/** Input of the steps: the row, its base, and the records created so far. */
type RevisionState = PlanState & { row: RevisionRow };
type RevisionStep = Step<RevisionState, RevisionFacts, RevisionDiagnosticCode>;

export const stateOf = (row: RevisionRow): RevisionState => {
  const { sourceId, installModulePath } = row.request;
  return { ...row.facts, row, sourceId, installModulePath, capsuleId: row.capsuleId };
};

/**
 * The ordered steps from a ref to a reviewable plan of a Capsule; the Source keeps its own ref and path. A step fails when the base of the
 * update has changed.
 */
export function createRevisionSteps(ports: PlanStepPorts & BasePorts): readonly RevisionStep[] {
  const { requestSync, awaitSnapshot, createPlan, awaitPlan } = createPlanSteps(ports);
  const checkCompatibility: RevisionStep = createCheckStep({
    inspection: ports.inspection,
    installConfigIdOf: ({ row }: RevisionState) => row.request.revision.base.installConfigId,
    unready: {
      code: 'revision_compatibility_not_runnable',
      message: 'The module at this ref is not ready to be planned. Read its compatibility report.',
    },
    unreadyFactsOf: (facts) => facts,
    accept: ({ facts }) => done(facts),
  });
  const steps: readonly RevisionStep[] = [requestSync, awaitSnapshot, checkCompatibility, createPlan, awaitPlan];
  return steps.map((step) => guardStep(step, ({ row }) => isOnBase(row, ports), baseChanged));
}

const baseChanged = {
  code: 'revision_identity_changed',
  message:
    'The Capsule, its configuration or its Source has changed since this update was requested. Start a new update.',
} as const;
