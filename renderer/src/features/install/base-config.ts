import { chooseBase } from '#shared/install-configs/choose-base';
import type { InstallConfig } from '#shared/install-configs/contract';
import { api } from '../../api/client.ts';
import { readAll } from '../../api/read-all.ts';

type Target = { workspaceId: string; sourceId: string; path: string; modulePath: string };

/** Returns the configuration of the operator that the server installs a module with; undefined for the built-in one. */
export async function findBaseConfig({ workspaceId, sourceId, ...at }: Target): Promise<InstallConfig | undefined> {
  const [{ source }, configs] = await Promise.all([
    api.getSource({ params: { sourceId } }).then(({ body }) => body),
    readAll(async (cursor) => {
      const { body } = await api.listInstallConfigs({ query: { workspaceId, ...(cursor && { cursor }) } });
      return { rows: body.installConfigs, nextCursor: body.nextCursor };
    }),
  ]);
  return chooseBase(configs, { url: source.url, ...at });
}
