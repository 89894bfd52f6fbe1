import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext } from 'react';
import { readChosenWorkspace } from './chosen-workspace.ts';
import { api } from './client.ts';
import { membersQuery } from './members.ts';
import { keys, queryClient } from './queries.ts';

const WorkspaceContext = createContext('');

/** The Workspace that the page works in. */
export const useWorkspaceId = (): string => useContext(WorkspaceContext);

/** Loads the signed-in account and its current Workspace; `null` when not signed in. */
export const useSession = () =>
  useQuery({
    queryKey: keys.session,
    queryFn: async () => {
      const { body } = await api.getSession({});
      if (!('subject' in body)) return null;
      const chosen = readChosenWorkspace();
      // An archived Workspace can still be read and unarchived.
      const query = { includeArchived: 'true', ...(chosen !== undefined && { selectedWorkspaceId: chosen }) } as const;
      const { workspaces } = (await api.listWorkspaces({ query })).body;
      const active = workspaces.find(({ archivedAt }) => archivedAt === undefined);
      const workspace = workspaces.find(({ id }) => id === chosen) ?? active ?? workspaces[0];
      if (!workspace) return null;
      // Buttons depend on the role, so no page is shown before it is known.
      await queryClient.prefetchQuery(membersQuery(workspace.id));
      return { session: body, workspace };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

export const WorkspaceProvider = ({ id, children }: { id: string; children: ReactNode }) => (
  <WorkspaceContext.Provider value={id}>{children}</WorkspaceContext.Provider>
);
