import { queryOptions, useQuery } from '@tanstack/react-query';
import type { RunnerCapability } from '#shared/execution/tool';
import { localPool } from '#shared/runs/contract';
import { api } from './client.ts';
import { keys } from './queries.ts';
import { workspacePoolsQuery } from './runner-pools.ts';
import { useWorkspaceId } from './session.tsx';

export const capabilitiesQuery = queryOptions({
  queryKey: keys.capabilities,
  queryFn: async () => (await api.getCapabilities({})).body,
});

/**
 * Reports `missing` when plans of this Workspace would use the tool of the server and it has none. Pools use the tools of
 * their machines. Undefined while unknown.
 */
export function useToolStatus(): 'ready' | 'missing' | undefined {
  const workspaceId = useWorkspaceId();
  const runner = useQuery(capabilitiesQuery).data?.runner;
  const isWithout = runner?.available === false;
  const pools = useQuery({ ...workspacePoolsQuery(workspaceId), enabled: isWithout });
  if (runner === undefined || (isWithout && pools.isPending)) return undefined;
  const isLocal = pools.data?.some(({ id, isDefault }) => id === localPool && isDefault) ?? true;
  return isWithout && isLocal ? 'missing' : 'ready';
}

/** The tool and its sandbox; undefined while unknown, or without a tool. */
export function useRunner(): RunnerCapability | undefined {
  const { data } = useQuery(capabilitiesQuery);
  return data?.runner.available ? data.runner : undefined;
}
