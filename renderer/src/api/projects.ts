import { queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';
import { keys } from './queries.ts';
import { readAll } from './read-all.ts';

/** Names of all Projects of a Workspace, by id. */
export const projectNamesQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: [...keys.projects(workspaceId), 'names'],
    queryFn: async () => {
      const projects = await readAll(async (cursor) => {
        const query = { limit: '100', ...(cursor !== undefined && { cursor }) };
        const { body } = await api.listProjects({ params: { workspaceId }, query });
        return { rows: body.projects, nextCursor: body.nextCursor };
      });
      return new Map(projects.map(({ id, name }) => [id, name]));
    },
  });
