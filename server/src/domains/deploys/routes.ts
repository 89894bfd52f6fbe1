import { actorOf, created, type Mount, mayWrite, ok } from '#server/kernel/http/index';
import { deploysApi } from '#shared/deploys/api';
import type { DeploysService } from './service.ts';
import type { Toolbox } from './toolbox.ts';

type Parts = { deploys: DeploysService; toolbox: Pick<Toolbox, 'require'> };

export const deploysRoutes = (mount: Mount, { deploys, toolbox }: Parts): void =>
  mount(deploysApi, {
    deleteCapsule: async ({ params, caller }) => {
      const { capsuleId } = params;
      const actorId = actorOf(caller);
      if (!deploys.isApplied(capsuleId)) return () => ok(deploys.discard(capsuleId, actorId));
      const { tool } = await toolbox.require();
      return () => created({ run: deploys.planRemoval(capsuleId, { actorId, tool }) });
    },
    planDestroy: async ({ params, caller }) => {
      const { tool } = await toolbox.require();
      const ask = { actorId: actorOf(caller), tool, type: 'destroy_plan' as const };
      return () => created({ run: deploys.createPlan(params.capsuleId, ask) });
    },
    checkDrift: async ({ params, caller }) => {
      const { tool } = await toolbox.require();
      const ask = { actorId: actorOf(caller), tool, type: 'drift_check' as const };
      return () => created({ run: deploys.createPlan(params.capsuleId, ask) });
    },
    planRollback: async ({ params, caller }) => {
      const { tool } = await toolbox.require();
      return () => created({ run: deploys.planRollback(params.stateVersionId, { actorId: actorOf(caller), tool }) });
    },
    planCapsule: async ({ params, body, caller }) => {
      const { tool } = await toolbox.require();
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
      const { tool } = await toolbox.require();
      return () => {
        const { made, ...answer } = deploys.apply(params.runId, {
          actorId: actorOf(caller),
          planDigest: body.planDigest,
          tool,
        });
        return made ? created(answer) : ok(answer);
      };
    },
    getRunPlan: ({ params, query }) => ok({ plan: deploys.getPlan(params.runId, query) }),
  });
