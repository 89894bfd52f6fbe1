import { queryOptions, useQuery } from '@tanstack/react-query';
import type { RunnerCapability } from '#shared/execution/tool';
import { api } from './client.ts';
import { keys } from './queries.ts';

export const capabilitiesQuery = queryOptions({
  queryKey: keys.capabilities,
  queryFn: async () => (await api.getCapabilities({})).body,
});

/** The tool and its sandbox; undefined while unknown, or without a tool. */
export function useRunner(): RunnerCapability | undefined {
  const { data } = useQuery(capabilitiesQuery);
  return data?.runner.available ? data.runner : undefined;
}
