import { type Mount, ok } from '#server/kernel/http/index';
import { configsApi } from '#shared/configs/api';
import type { ConfigsService } from './service.ts';

export const configsRoutes = (mount: Mount, configs: ConfigsService): void =>
  mount(configsApi, {
    listInstallConfigs: ({ query }) => ok(configs.listConfigs(query.workspaceId, query)),
    getInstallConfig: ({ params }) => ok({ installConfig: configs.getConfig(params.capsuleConfigId) }),
  });
