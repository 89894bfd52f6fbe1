import { queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';
import { keys } from './queries.ts';
import { readAll } from './read-all.ts';

/** What a Capsule uses of others (`asConsumer`), and what others use of it (`asProducer`). */
export const dependenciesQuery = (capsuleId: string) =>
  queryOptions({
    queryKey: keys.dependencies(capsuleId),
    queryFn: async () => (await api.listDependencies({ params: { capsuleId } })).body,
  });

/** All shares of a Workspace, given and taken, oldest first. */
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

/** Name and environment of every Capsule of a Workspace that is not gone, in one answer. */
export const capsuleNamesQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: [...keys.capsules({}), 'names'],
    queryFn: async () => (await api.getGraph({ params: { workspaceId } })).body.nodes,
  });

/** The Workspaces of whoever is signed in. */
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
