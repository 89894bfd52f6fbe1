import { existsSync } from 'node:fs';
import { startServer } from '../e2e/fixtures/server.ts';
import { type Api, createApi } from './api.ts';
import { type Origin, serveRepository } from './git-origin.ts';

export type Product = { api: Api; workspaceId: string; origin: Origin };

/** Runs an action against the built product and an origin of `files` small files; ends both, however the action ends. */
export async function withProduct<T>(
  setting: { entry: string; files: number },
  action: (product: Product) => Promise<T>,
): Promise<T> {
  if (!existsSync(setting.entry)) throw new Error(`${setting.entry} is missing: run npm run build first.`);
  const origin = await serveRepository(setting.files);
  try {
    const server = await startServer({ entry: setting.entry });
    try {
      const api = createApi(server);
      return await action({ api, origin, workspaceId: await api.workspaceId() });
    } finally {
      await server.stop();
    }
  } finally {
    await origin.close();
  }
}
