import type { AppliesService } from '#server/domains/applies/index';
import type { CapsulesService } from '#server/domains/capsules/index';
import type { ToolManager } from '#server/domains/execution/index';
import type { PlansService } from '#server/domains/plans/index';
import type { RunsService } from '#server/domains/runs/index';
import { notFound } from '#server/kernel/errors';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import type { operatorRoutesApi } from '#shared/operator/api';
import type { Run } from '#shared/runs/contract';

export type RunRequestDeps = {
  capsules: Pick<CapsulesService, 'findWorkspace'>;
  runs: Pick<RunsService, 'findWorkspace'>;
  plans: Pick<PlansService, 'createPlan' | 'approve'>;
  applies: Pick<AppliesService, 'apply'>;
  toolManager: Pick<ToolManager, 'find'>;
};

/**
 * Returns the write that queues the Run, or finds the apply that consumed a plan. Throws 404, 409, 503
 * `runner_unavailable`.
 */
export const createRunRequests =
  ({ capsules, runs, plans, applies, toolManager }: RunRequestDeps) =>
  async (
    body: BodyOf<typeof operatorRoutesApi.requestRun>,
    actorId: string,
  ): Promise<() => { run: Run; isNew: boolean }> => {
    const { capsuleId, type, compatibilityReportId: reportId, planRunId, planDigest, ...rest } = body;
    nothingLeft(rest);
    if (planRunId !== undefined) {
      if (runs.findWorkspace(planRunId) === undefined) throw notFound('Run');
      const tool = await toolManager.find();
      return () => applies.apply(planRunId, { actorId, planDigest, tool });
    }
    if (capsuleId === undefined || capsules.findWorkspace(capsuleId) === undefined) throw notFound('Capsule');
    const tool = await toolManager.find();
    return () => ({
      run: plans.createPlan(capsuleId, { actorId, reportId, tool, type: type ?? 'plan' }),
      isNew: true,
    });
  };
