import { type Mount, ok } from '#server/kernel/http/index';
import { installConfigsApi } from '#shared/install-configs/api';
import type { InstallConfigsService } from './service.ts';

export const installConfigsRoutes = (mount: Mount, configs: InstallConfigsService): void =>
  mount(installConfigsApi, {
    listInstallConfigs: ({ query: { workspaceId, ...query } }) => ok(configs.listConfigs(workspaceId, query)),
    getInstallConfig: ({ params }) => ok({ installConfig: configs.getConfig(params.capsuleConfigId) }),
  });
