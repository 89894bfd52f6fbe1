import type { ToolManager } from '#server/domains/execution/index';
import { actorOf, created, type Mount, ok } from '#server/kernel/http/index';
import { appliesApi } from '#shared/applies/api';
import { nothingLeft } from '#shared/kernel/endpoint';
import type { AppliesService } from './service.ts';

type Parts = { applies: AppliesService; toolManager: Pick<ToolManager, 'find'> };

export const appliesRoutes = (mount: Mount, { applies, toolManager }: Parts): void =>
  mount(appliesApi, {
    applyRun: async ({ params, body: { planDigest, ...rest }, caller }) => {
      nothingLeft(rest);
      const tool = await toolManager.find();
      const input = { actorId: actorOf(caller), planDigest, tool };
      return () => {
        const { isNew, ...answer } = applies.apply(params.runId, input);
        return isNew ? created(answer) : ok(answer);
      };
    },
  });
