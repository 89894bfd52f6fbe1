import { type BaseTarget, chooseBase } from '#shared/install-configs/choose-base';
import type { InstallConfig } from '#shared/install-configs/contract';
import { readAll } from './pages.ts';
import type { Server } from './server.ts';

/** Returns the configuration of the operator that the server installs a module with; undefined for the built-in one. */
export async function findBaseConfig(
  server: Server,
  workspaceId: string,
  target: BaseTarget,
): Promise<InstallConfig | undefined> {
  const configs = await readAll(async (page) => {
    const { body } = await server.api.listInstallConfigs({ query: { workspaceId, ...page } });
    return { rows: body.installConfigs, nextCursor: body.nextCursor };
  });
  return chooseBase(configs, target);
}
