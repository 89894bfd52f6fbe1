import { vi } from 'vitest';
import type { CopyRevision } from '#shared/copies/contract';
import { startTestServer, type TestServer } from './harness.ts';
import { type ModuleRegistry, startModuleRegistry } from './module-registry.ts';

export type CopyServer = {
  server: TestServer;
  registry: ModuleRegistry;
  /** Creates a synced Source of a repository of the registry's Git server. */
  createSource: (url: string) => Promise<string>;
  /** Waits until a revision has another status than these. */
  settled: (ids: { copyId: string; revisionId: string }, busy?: readonly string[]) => Promise<CopyRevision>;
  close: () => Promise<void>;
};

/** Starts a server that trusts a module registry and Git server: the one of another server, or a new one. */
export async function startCopyServer(other?: CopyServer): Promise<CopyServer> {
  const registry = other?.registry ?? (await startModuleRegistry());
  const server = await startTestServer({ env: { GROUNDCTL_CA_FILE: registry.caFile } });
  return {
    server,
    registry,
    ...createCopySteps(server),
    async close() {
      await server.close();
      if (!other) await registry.close();
    },
  };
}

/** Steps towards a copy on a server that trusts the hosts of its repositories. */
export function createCopySteps(server: TestServer): Pick<CopyServer, 'createSource' | 'settled'> {
  const { api, workspaceId } = server;
  return {
    async createSource(url) {
      const { source } = (await api.createSource({ body: { workspaceId, name: 'Stack', url } })).body;
      const { run } = (await api.syncSource({ params: { sourceId: source.id }, body: {} })).body;
      await server.ended(run.id);
      return source.id;
    },
    settled: (params, busy = ['preparing', 'making']) =>
      vi.waitUntil(
        async () => {
          const { revision } = (await api.getCopyRevision({ params })).body;
          return busy.includes(revision.status) ? undefined : revision;
        },
        { timeout: 30_000, interval: 50 },
      ),
  };
}
