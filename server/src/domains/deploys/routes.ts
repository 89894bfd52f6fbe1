import { actorOf, created, type Mount, mayWrite, ok } from '#server/kernel/http/index';
import { deploysApi } from '#shared/deploys/api';
import type { DeploysService } from './service.ts';
import type { ToolManager } from './tool-manager.ts';

type Parts = { deploys: DeploysService; toolManager: Pick<ToolManager, 'require'> };

export const deploysRoutes = (mount: Mount, { deploys, toolManager }: Parts): void =>
  mount(deploysApi, {
    deleteCapsule: async ({ params, caller }) => {
      const { capsuleId } = params;
      const actorId = actorOf(caller);
      if (!deploys.isApplied(capsuleId)) return () => ok(deploys.discard(capsuleId, actorId));
      const { tool } = await toolManager.require();
      return () => created({ run: deploys.planRemoval(capsuleId, { actorId, tool }) });
    },
    planDestroy: async ({ params, caller }) => {
      const { tool } = await toolManager.require();
      const input = { actorId: actorOf(caller), tool, type: 'destroy_plan' as const };
      return () => created({ run: deploys.createPlan(params.capsuleId, input) });
    },
    checkDrift: async ({ params, caller }) => {
      const { tool } = await toolManager.require();
      const input = { actorId: actorOf(caller), tool, type: 'drift_check' as const };
      return () => created({ run: deploys.createPlan(params.capsuleId, input) });
    },
    planRollback: async ({ params, caller }) => {
      const { tool } = await toolManager.require();
      return () => created({ run: deploys.planRollback(params.stateVersionId, { actorId: actorOf(caller), tool }) });
    },
    planCapsule: async ({ params, body, caller }) => {
      const { tool } = await toolManager.require();
      return () => {
        if (body.compatibilityReportId !== undefined && !mayWrite(caller))
          deploys.requireOwnLane(params.capsuleId, body.compatibilityReportId);
        return created({
          run: deploys.createPlan(params.capsuleId, {
            actorId: actorOf(caller),
            reportId: body.compatibilityReportId,
            tool,
          }),
        });
      };
    },
    approveRun:
      ({ params, body, caller }) =>
      () =>
        ok({ run: deploys.approve(params.runId, { actorId: actorOf(caller), reason: body.reason }) }),
    applyRun: async ({ params, body, caller }) => {
      const { tool } = await toolManager.require();
      return () => {
        const { isNew, ...answer } = deploys.apply(params.runId, {
          actorId: actorOf(caller),
          planDigest: body.planDigest,
          tool,
        });
        return isNew ? created(answer) : ok(answer);
      };
    },
    getRunPlan: ({ params, query }) => ok({ plan: deploys.getPlan(params.runId, query) }),
  });
