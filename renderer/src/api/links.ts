import { queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';
import { keys } from './queries.ts';
import { readAll } from './read-all.ts';

/** Dependencies of a Capsule on others (`asConsumer`) and of others on it (`asProducer`). */
export const dependenciesQuery = (capsuleId: string) =>
  queryOptions({
    queryKey: keys.dependencies(capsuleId),
    queryFn: async () => (await api.listDependencies({ params: { capsuleId } })).body,
  });

/** All shares of a Workspace, offered and received, oldest first. */
export const sharesQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: keys.shares(workspaceId),
    queryFn: () =>
      readAll(async (cursor) => {
        const { body } = await api.listShares({
          query: { workspaceId, limit: '100', ...(cursor !== undefined && { cursor }) },
        });
        return { rows: body.shares, nextCursor: body.nextCursor };
      }),
  });

/** Name and environment of every Capsule of a Workspace that is neither destroyed nor discarded, in one response. */
export const capsuleNamesQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: [...keys.capsules({}), 'names'],
    queryFn: async () => (await api.getGraph({ params: { workspaceId } })).body.nodes,
  });

/** The Workspaces of the signed-in account. */
export const workspacesQuery = queryOptions({
  queryKey: ['workspace', 'list'],
  queryFn: () =>
    readAll(async (cursor) => {
      const { body } = await api.listWorkspaces({
        query: { limit: '100', ...(cursor !== undefined && { cursor }) },
      });
      return { rows: body.workspaces, nextCursor: body.nextCursor };
    }),
});
