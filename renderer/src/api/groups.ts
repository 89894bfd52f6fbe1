import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { RunGroupType } from '#shared/run-groups/contract';
import { api } from './client.ts';
import { keys } from './queries.ts';

/** A RunGroup with its Runs as rows. */
export const runGroupQuery = (runGroupId: string) =>
  queryOptions({
    queryKey: keys.runGroup(runGroupId),
    queryFn: async () => (await api.getRunGroup({ params: { runGroupId } })).body,
  });

/** RunGroups of a Workspace, newest first. */
export const runGroupsQuery = (workspaceId: string, filter: { type?: RunGroupType; limit?: string } = {}) =>
  infiniteQueryOptions({
    queryKey: keys.runGroups({ workspaceId, ...filter }),
    queryFn: async ({ pageParam }) =>
      (
        await api.listRunGroups({
          params: { workspaceId },
          query: { limit: '50', ...filter, ...(pageParam !== undefined && { cursor: pageParam }) },
        })
      ).body,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: { nextCursor?: string | undefined }) => page.nextCursor,
  });

/** The message of the first diagnostic of a Run that has ended, or null when it has none. */
export const firstDiagnosticQuery = (runId: string) =>
  queryOptions({
    queryKey: ['run', 'first-diagnostic', runId],
    queryFn: async () => {
      const { body } = await api.getRunLogs({ params: { runId }, query: { limit: '100' } });
      return body.diagnostics[0]?.message ?? null;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Usage records of the Runs of a Workspace, newest first. */
export const usageQuery = (workspaceId: string) =>
  infiniteQueryOptions({
    queryKey: keys.usage(workspaceId),
    queryFn: async ({ pageParam }) =>
      (
        await api.listUsage({
          params: { workspaceId },
          query: { limit: '50', ...(pageParam !== undefined && { cursor: pageParam }) },
        })
      ).body,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: { nextCursor?: string | undefined }) => page.nextCursor,
  });

export const usageOfQuery = (capsuleId: string) =>
  queryOptions({
    queryKey: keys.usageOf(capsuleId),
    queryFn: async () => (await api.getUsageSummary({ params: { capsuleId } })).body.summary,
  });

/** One StateVersion with the Outputs that may be shown. They never change. */
export const stateVersionQuery = (stateVersionId: string) =>
  queryOptions({
    queryKey: ['state_version', 'one', stateVersionId],
    queryFn: async () => (await api.getStateVersion({ params: { stateVersionId } })).body,
    staleTime: Number.POSITIVE_INFINITY,
  });
