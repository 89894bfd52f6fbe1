import { existsSync } from 'node:fs';
import { startServer, type TestServer } from '../e2e/fixtures/server.ts';
import { type Api, createApi } from './api.ts';
import { type Origin, type RepositoryFiles, serveRepository } from './git-origin.ts';

export type Product = { api: Api; workspaceId: string; origin: Origin; server: TestServer };

export type ProductSetting = {
  entry: string;
  /** The files of the repository, or the number of small files beside the module. */
  files: number | RepositoryFiles;
  /** Default: 50 built-in resources. */
  module?: string;
  env?: { [name: string]: string };
};

/** Runs an action against the built product and an origin of a module; ends both, however the action ends. */
export async function withProduct<T>(setting: ProductSetting, action: (product: Product) => Promise<T>): Promise<T> {
  if (!existsSync(setting.entry)) throw new Error(`${setting.entry} is missing: run npm run build first.`);
  const origin = await serveRepository(setting.files, setting.module);
  try {
    const server = await startServer({ entry: setting.entry, env: setting.env ?? {} });
    try {
      const api = createApi(server);
      return await action({ api, origin, server, workspaceId: await api.workspaceId() });
    } finally {
      await server.stop();
    }
  } finally {
    await origin.close();
  }
}
