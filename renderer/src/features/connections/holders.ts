import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { keys } from '../../api/queries.ts';
import { useWorkspaceId } from '../../api/session.tsx';

/** Active Runs that received values of a Connection. They keep them until they end. */
export function useHolders(connectionId: string) {
  const workspaceId = useWorkspaceId();
  return useQuery({
    queryKey: [...keys.connectionUses(connectionId), 'holders'],
    queryFn: async () => {
      const { runs } = (
        await api.listRuns({ params: { workspaceId }, query: { status: 'queued,running', limit: '100' } })
      ).body;
      if (runs.length === 0) return [];
      const { uses } = (await api.listConnectionUses({ params: { connectionId }, query: { limit: '100' } })).body;
      const users = new Set(uses.map(({ runId }) => runId));
      return runs.filter(({ id }) => users.has(id)).map(({ id }) => id);
    },
    staleTime: 0,
  });
}
