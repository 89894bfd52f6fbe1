import type { RunRecord, RunsService } from '#server/domains/runs/index';
import type { ToolIdentity } from '#server/drivers/tofu/index';
import { failedPrecondition, notFound } from '#server/kernel/errors';
import { isTerminal } from '#shared/kernel/machine';
import type { PlanDocument, PlanPage } from '#shared/plans/document';
import { isApplyType, isPlanType, type Run } from '#shared/runs/contract';
import { runMachine } from '#shared/runs/machine';
import { apiPrefix } from '#shared/vendor';
import { createApproval } from './approval.ts';
import { createPlanBasis } from './plan-basis.ts';
import { createProposals } from './proposals.ts';
import { createRemoval } from './removal.ts';
import type { PlansStore } from './store.ts';
import { createFindUncheckedModule } from './unchecked-module.ts';

export type PlansService = ReturnType<typeof createPlansService>;

type Deps = Omit<Parameters<typeof createProposals>[0], 'basis'> &
  Parameters<typeof createPlanBasis>[0] &
  Parameters<typeof createApproval>[0] &
  Omit<Parameters<typeof createRemoval>[0], 'createPlan'> &
  Parameters<typeof createFindUncheckedModule>[0] & { store: Pick<PlansStore, 'findDocument'> };

/** The rules of plans and their review. Nothing here runs the tool: it queues Runs. */
export function createPlansService(deps: Deps) {
  const basis = createPlanBasis(deps);
  const proposals = createProposals({ ...deps, basis });
  return {
    findNextPlan: basis.findNextPlan,
    requireOwnLane: basis.requireOwnLane,
    findUncheckedModule: createFindUncheckedModule(deps),
    createPlan: proposals.create,
    createRefused: proposals.createRefused,
    ...createApproval(deps),
    ...createRemoval({ ...deps, createPlan: proposals.create }),

    /** Plans a rollback to the commit of a StateVersion, with the current configuration. */
    planRollback(stateVersionId: string, input: { actorId: string; tool: ToolIdentity }): Run {
      const head = deps.states.findHead(stateVersionId);
      if (!head) throw notFound('StateVersion');
      return proposals.create(head.capsuleId, { ...input, rollbackStateVersionId: stateVersionId });
    },

    getPlan: (runId: string, page: PlanPage): PlanDocument => getPlan(runId, page, deps),
  };
}

type ReadPorts = { runs: Pick<RunsService, 'getRecord'>; store: Pick<PlansStore, 'findDocument'> };

/** Returns the redacted plan, page by page; an apply shows that of its plan. */
function getPlan(runId: string, page: PlanPage, { runs, store }: ReadPorts): PlanDocument {
  const run = runs.getRecord(runId);
  if (!isPlanType(run.type) && !isApplyType(run.type)) throw notFound('plan: this type of Run has none');
  const document = store.findDocument(run.planRunId ?? runId, page);
  if (!document) throw withoutPlan(run);
  return document;
}

/** A plan that is not computed yet, or a Run that ended without one and has the reason in its diagnostics. */
function withoutPlan({ id, status }: RunRecord) {
  if (!isTerminal(runMachine, status))
    return failedPrecondition(
      'plan_not_ready',
      'The plan is not computed yet. Try again when the Run has finished planning.',
    );
  const logs = `${apiPrefix}/runs/${id}/logs`;
  const message = `This Run ended without a plan. Read its diagnostics at ${logs}.`;
  return failedPrecondition('plan_not_available', message, { diagnostics: logs });
}
