import type { ToolManager } from '#server/domains/execution/index';
import { actorOf, created, type Mount, mayWrite, ok } from '#server/kernel/http/index';
import { nothingLeft } from '#shared/kernel/endpoint';
import { plansApi } from '#shared/plans/api';
import type { PlansService } from './service.ts';

type Parts = { plans: PlansService; toolManager: Pick<ToolManager, 'find'> };

export const plansRoutes = (mount: Mount, { plans, toolManager }: Parts): void =>
  mount(plansApi, {
    deleteCapsule: async ({ params, caller }) => {
      const { capsuleId } = params;
      const actorId = actorOf(caller);
      if (!plans.isApplied(capsuleId)) return () => ok(plans.discard(capsuleId, actorId));
      const tool = await toolManager.find();
      return () => created({ run: plans.planRemoval(capsuleId, { actorId, tool }) });
    },
    planDestroy: async ({ params, body: { runnerId, ...rest }, caller }) => {
      nothingLeft(rest);
      const tool = await toolManager.find();
      const input = { actorId: actorOf(caller), tool, runnerId, type: 'destroy_plan' as const };
      return () => created({ run: plans.createPlan(params.capsuleId, input) });
    },
    checkDrift: async ({ params, caller }) => {
      const tool = await toolManager.find();
      const input = { actorId: actorOf(caller), tool, type: 'drift_check' as const };
      return () => created({ run: plans.createPlan(params.capsuleId, input) });
    },
    planRollback: async ({ params, caller }) => {
      const tool = await toolManager.find();
      return () => created({ run: plans.planRollback(params.stateVersionId, { actorId: actorOf(caller), tool }) });
    },
    planCapsule: async ({ params: { capsuleId }, body, caller }) => {
      const { compatibilityReportId: reportId, runnerId, ...rest } = body;
      nothingLeft(rest);
      const tool = await toolManager.find();
      return () => {
        if (reportId !== undefined && !mayWrite(caller)) plans.requireOwnLane(capsuleId, reportId);
        return created({ run: plans.createPlan(capsuleId, { actorId: actorOf(caller), reportId, tool, runnerId }) });
      };
    },
    getToolchain: ({ params }) => ok({ toolchain: plans.findToolchain(params.capsuleId) }),
    getRunPlan: ({ params, query: { after, limit, ...rest } }) => {
      nothingLeft(rest);
      return ok({ plan: plans.getPlan(params.runId, { after, limit }) });
    },
    comparePlans: ({ params, query: { with: otherId, after, limit, ...rest } }) => {
      nothingLeft(rest);
      return ok({ comparison: plans.comparePlans(params.runId, otherId, { after, limit }) });
    },
    requestApproval:
      ({ params, body: { note, ...rest }, caller }) =>
      () => {
        nothingLeft(rest);
        const { run, isNew } = plans.requestApproval(params.runId, { actorId: actorOf(caller), note });
        return isNew ? created({ run }) : ok({ run });
      },
    getInputChanges: ({ params }) => ok({ changes: plans.getInputChanges(params.runId) }),
  });
