import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { RunRow } from '#shared/runs/contract';
import { api } from './client.ts';
import { keys } from './queries.ts';

const pageSize = '200';

/** Differences of two plans of a Capsule, page by page. Stored plans never change. */
export const comparisonQuery = (runId: string, otherId: string) =>
  infiniteQueryOptions({
    queryKey: keys.planComparison(runId, otherId),
    queryFn: async ({ pageParam }) => {
      const query = { with: otherId, limit: pageSize, ...(pageParam !== undefined && { after: String(pageParam) }) };
      return (await api.comparePlans({ params: { runId }, query })).body.comparison;
    },
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ nextAfter }) => nextAfter,
    staleTime: 'static',
  });

/** Inputs of a plan that differ from those that were last applied before it. */
export const inputChangesQuery = (runId: string) =>
  queryOptions({
    queryKey: keys.inputChanges(runId),
    queryFn: async () => (await api.getInputChanges({ params: { runId } })).body.changes,
    staleTime: 'static',
  });

/** The newest plans of a Capsule that can be compared: those that were computed. */
export const comparablePlansQuery = (workspaceId: string, capsuleId: string) =>
  queryOptions({
    queryKey: [...keys.runs({ capsuleId, type: 'plan' }), 'comparable'],
    queryFn: async (): Promise<RunRow[]> => {
      const query = { capsuleId, type: 'plan' as const, limit: '50' };
      const { runs } = (await api.listRuns({ params: { workspaceId }, query })).body;
      return runs.filter(({ planDigest }) => planDigest !== undefined);
    },
  });
