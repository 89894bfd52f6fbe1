import type { ToolManager } from '#server/domains/execution/index';
import { actorOf, created, type Mount, ok } from '#server/kernel/http/index';
import { nothingLeft } from '#shared/kernel/endpoint';
import { runGroupsApi } from '#shared/run-groups/api';
import type { RunGroupsService } from './service.ts';

type Parts = { groups: RunGroupsService; toolManager: Pick<ToolManager, 'find'> };

export const runGroupsRoutes = (mount: Mount, { groups, toolManager }: Parts): void =>
  mount(runGroupsApi, {
    planUpdate: async ({ params, caller }) => {
      const tool = await toolManager.find();
      const commit = await groups.planUpdate({ ...params, actorId: actorOf(caller), tool });
      return () => created(commit());
    },
    checkWorkspaceDrift: async ({ params, body: { limit, ...rest }, caller }) => {
      nothingLeft(rest);
      const tool = await toolManager.find();
      return () => created(groups.checkDrift({ ...params, limit, actorId: actorOf(caller), tool }));
    },
    listRunGroups: ({ params, query }) => ok(groups.list(params.workspaceId, query)),
    getRunGroup: ({ params }) => ok(groups.get(params.runGroupId)),
    approveRunGroup:
      ({ params, body: { reason, runIds, ...rest }, caller }) =>
      () => {
        nothingLeft(rest);
        return ok(groups.approve(params.runGroupId, { actorId: actorOf(caller), reason, runIds }));
      },
    applyRunGroup: async ({ params, body: { planDigests, ...rest }, caller }) => {
      nothingLeft(rest);
      const tool = await toolManager.find();
      return () => created(groups.apply(params.runGroupId, { planDigests, actorId: actorOf(caller), tool }));
    },
    retryRunGroup: async ({ params, caller }) => {
      const tool = await toolManager.find();
      const commit = await groups.retry(params.runGroupId, { actorId: actorOf(caller), tool });
      return () => created(commit());
    },
  });
