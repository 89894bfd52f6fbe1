import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';

export type ResourcePage = Awaited<ReturnType<typeof api.listStateResources>>['body'];
export type ResourceFilter = { q?: string; module?: string; address?: string };

/** Resources of a StateVersion by address, page by page. A change of the StateVersions fetches a pending one again. */
export const stateResourcesQuery = (stateVersionId: string, filter: ResourceFilter) =>
  infiniteQueryOptions({
    queryKey: ['state_version', 'resources', stateVersionId, filter],
    queryFn: async ({ pageParam }) => {
      const query = { ...filter, limit: '200', ...(pageParam !== undefined && { cursor: pageParam }) };
      return (await api.listStateResources({ params: { stateVersionId }, query })).body;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: { nextCursor?: string | undefined }) => page.nextCursor,
  });

/** History of one address, newest change first. */
export const resourceHistoryQuery = (capsuleId: string, address: string) =>
  infiniteQueryOptions({
    queryKey: ['state_version', 'history', capsuleId, address],
    queryFn: async ({ pageParam }) => {
      const query = { address, limit: '50', ...(pageParam !== undefined && { cursor: pageParam }) };
      return (await api.listResourceHistory({ params: { capsuleId }, query })).body;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: { nextCursor?: string | undefined }) => page.nextCursor,
  });

/** All differences from one StateVersion to another of the same Capsule. */
export const stateComparisonQuery = (from: string, to: string) =>
  queryOptions({
    queryKey: ['state_version', 'comparison', from, to],
    queryFn: async () => {
      const load = async (cursor?: string) => {
        const query = { with: to, limit: '500', ...(cursor !== undefined && { cursor }) };
        return (await api.compareStateVersions({ params: { stateVersionId: from }, query })).body;
      };
      const first = await load();
      const resources = [...first.resources];
      let { nextCursor } = first;
      while (nextCursor !== undefined) {
        const page = await load(nextCursor);
        resources.push(...page.resources);
        nextCursor = page.nextCursor;
      }
      return { ...first, resources };
    },
  });
