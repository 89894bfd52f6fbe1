import type { ToolManager } from '#server/domains/execution/index';
import { actorOf, created, type Mount, mayWrite, ok } from '#server/kernel/http/index';
import { plansApi } from '#shared/plans/api';
import type { PlansService } from './service.ts';

type Parts = { plans: PlansService; toolManager: Pick<ToolManager, 'require'> };

export const plansRoutes = (mount: Mount, { plans, toolManager }: Parts): void =>
  mount(plansApi, {
    deleteCapsule: async ({ params, caller }) => {
      const { capsuleId } = params;
      const actorId = actorOf(caller);
      if (!plans.isApplied(capsuleId)) return () => ok(plans.discard(capsuleId, actorId));
      const { tool } = await toolManager.require();
      return () => created({ run: plans.planRemoval(capsuleId, { actorId, tool }) });
    },
    planDestroy: async ({ params, caller }) => {
      const { tool } = await toolManager.require();
      const input = { actorId: actorOf(caller), tool, type: 'destroy_plan' as const };
      return () => created({ run: plans.createPlan(params.capsuleId, input) });
    },
    checkDrift: async ({ params, caller }) => {
      const { tool } = await toolManager.require();
      const input = { actorId: actorOf(caller), tool, type: 'drift_check' as const };
      return () => created({ run: plans.createPlan(params.capsuleId, input) });
    },
    planRollback: async ({ params, caller }) => {
      const { tool } = await toolManager.require();
      return () => created({ run: plans.planRollback(params.stateVersionId, { actorId: actorOf(caller), tool }) });
    },
    planCapsule: async ({ params, body, caller }) => {
      const { tool } = await toolManager.require();
      return () => {
        if (body.compatibilityReportId !== undefined && !mayWrite(caller))
          plans.requireOwnLane(params.capsuleId, body.compatibilityReportId);
        return created({
          run: plans.createPlan(params.capsuleId, {
            actorId: actorOf(caller),
            reportId: body.compatibilityReportId,
            tool,
          }),
        });
      };
    },
    getRunPlan: ({ params, query }) => ok({ plan: plans.getPlan(params.runId, query) }),
  });
