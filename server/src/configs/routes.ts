import { type Caller, type Mount, ok } from '#server/kernel/http/index';
import { configsApi } from '#shared/configs/api';
import type { ConfigsService } from './service.ts';

type Parts = { configs: ConfigsService; authorize: (caller: Caller, workspaceId: string, permission: 'R') => void };

export const configsRoutes = (mount: Mount, { configs, authorize }: Parts): void =>
  mount(configsApi, {
    listInstallConfigs: ({ query, caller }) => {
      authorize(caller, query.workspaceId, 'R');
      return ok(configs.listConfigs(query.workspaceId, query));
    },
    getInstallConfig: ({ params }) => ok({ installConfig: configs.getConfig(params.capsuleConfigId) }),
  });
