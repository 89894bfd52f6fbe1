import type { ServerTool } from '#server/domains/execution/index';
import type { RunsService } from '#server/domains/runs/index';
import { notFound } from '#server/kernel/errors';
import type { PlanDocument, PlanPage } from '#shared/plans/document';
import { isApplyType, isPlanType, type Run } from '#shared/runs/contract';
import { createApproval } from './approval.ts';
import { createApprovalRequests } from './approval-requests.ts';
import { createPlanComparison } from './comparison.ts';
import { createPlanBasis } from './plan-basis.ts';
import { createFindRequirementFault } from './plan-requirements.ts';
import { createProposals } from './proposals.ts';
import { createRemoval } from './removal.ts';
import type { PlansStore } from './store.ts';
import { createFindToolchain } from './toolchain.ts';
import { createFindUncheckedModule } from './unchecked-module.ts';
import { withoutPlan } from './without-plan.ts';

export type PlansService = ReturnType<typeof createPlansService>;

type Deps = Omit<Parameters<typeof createProposals>[0], 'basis'> &
  Parameters<typeof createPlanBasis>[0] &
  Parameters<typeof createApproval>[0] & { store: Pick<PlansStore, 'deleteArtifacts'> } & Parameters<
    typeof createApprovalRequests
  >[0] &
  Omit<Parameters<typeof createRemoval>[0], 'createPlan'> &
  Parameters<typeof createPlanComparison>[0] &
  Parameters<typeof createFindUncheckedModule>[0] &
  Parameters<typeof createFindToolchain>[0] & { store: Pick<PlansStore, 'findDocument'> };

/** The rules of plans and their review. Nothing here runs the tool: it queues Runs. */
export function createPlansService(deps: Deps) {
  const basis = createPlanBasis(deps);
  const proposals = createProposals({ ...deps, basis });
  return {
    findNextPlan: basis.findNextPlan,
    requireOwnLane: basis.requireOwnLane,
    findUncheckedModule: createFindUncheckedModule(deps),
    findRequirementFault: createFindRequirementFault(deps),
    createPlan: proposals.create,
    createRefused: proposals.createRefused,
    ...createPlanComparison(deps),
    findToolchain: createFindToolchain(deps),
    ...createApproval(deps),
    ...createApprovalRequests(deps),
    ...createRemoval({ ...deps, createPlan: proposals.create }),

    /** Plans a rollback to the commit of a StateVersion, with the current configuration. */
    planRollback(stateVersionId: string, input: { actorId: string; tool: ServerTool }): Run {
      const head = deps.states.findHead(stateVersionId);
      if (!head) throw notFound('StateVersion');
      return proposals.create(head.capsuleId, { ...input, rollbackStateVersionId: stateVersionId });
    },

    deletePlans: (runIds: readonly string[]): number => deps.db.write(() => deps.store.deleteArtifacts(runIds)),

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
