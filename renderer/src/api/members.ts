import { queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';
import { keys } from './queries.ts';

/** Members of a Workspace, including the removed ones. */
export const membersQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: keys.members(workspaceId),
    queryFn: async () => (await api.listMembers({ params: { workspaceId } })).body.members,
  });
