import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { ActivityTarget } from '#shared/activity/actions';
import type { RunStatus, RunType } from '#shared/runs/contract';
import { ApiError, api } from './client.ts';
import { keys } from './queries.ts';

/*
 * One query for each record and list, so that all components that show the same data share one cache entry of one
 * shape.
 */
export const capsuleQuery = (capsuleId: string) =>
  queryOptions({
    queryKey: keys.capsule(capsuleId),
    queryFn: async () => (await api.getCapsule({ params: { capsuleId } })).body.capsule,
  });

/** The InstallConfig of a Capsule as it is now. */
export const configOfCapsuleQuery = (capsuleId: string) =>
  queryOptions({
    // Nested under the key of the Capsule, because a change of its configuration is a change of the Capsule.
    queryKey: [...keys.capsule(capsuleId), 'config'],
    queryFn: async () => {
      const { installConfigId: capsuleConfigId } = (await api.getCapsule({ params: { capsuleId } })).body.capsule;
      return (await api.getInstallConfig({ params: { capsuleConfigId } })).body.installConfig;
    },
  });

/** Inputs of a Capsule with their values and origins. */
export const configurationQuery = (capsuleId: string) =>
  queryOptions({
    queryKey: keys.configuration(capsuleId),
    queryFn: async () => (await api.getConfiguration({ params: { capsuleId } })).body.configuration,
  });

/** The current Output record; null before the first commit. */
export const outputsQuery = (capsuleId: string) =>
  queryOptions({
    queryKey: keys.outputs(capsuleId),
    queryFn: async () => (await api.getOutputs({ params: { capsuleId } })).body.output,
  });

export const runQuery = (runId: string) =>
  queryOptions({
    queryKey: keys.run(runId),
    queryFn: async () => (await api.getRun({ params: { runId } })).body.run,
  });

export const sourceQuery = (sourceId: string) =>
  queryOptions({
    queryKey: keys.source(sourceId),
    queryFn: async () => (await api.getSource({ params: { sourceId } })).body.source,
  });

export const reportQuery = (reportId: string) =>
  queryOptions({
    queryKey: ['report', reportId],
    queryFn: async () => (await api.getReport({ params: { reportId } })).body.report,
    // A report never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });

type Paged = { nextCursor?: string | undefined };
const paged = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page: Paged) => page.nextCursor,
};
const cursorOf = (cursor: string | undefined) => (cursor === undefined ? {} : { cursor });

type CapsuleFilter = { q?: string; includeDestroyed?: '0' | '1'; limit?: string };
export const capsulesQuery = (workspaceId: string, filter: CapsuleFilter = {}) =>
  infiniteQueryOptions({
    queryKey: [...keys.capsules(filter), 'pages'],
    queryFn: async ({ pageParam }) =>
      (
        await api.listCapsules({
          params: { workspaceId },
          query: { order: 'updated_desc', ...filter, ...cursorOf(pageParam) },
        })
      ).body,
    ...paged,
  });

type SourceFilter = { q?: string; url?: string; limit?: string };
export const sourcesQuery = (workspaceId: string, filter: SourceFilter = {}) =>
  infiniteQueryOptions({
    queryKey: [...keys.sources(filter), 'pages'],
    queryFn: async ({ pageParam }) =>
      (await api.listSources({ query: { workspaceId, order: 'updated_desc', ...filter, ...cursorOf(pageParam) } }))
        .body,
    ...paged,
  });

type RunFilter = {
  q?: string;
  capsuleId?: string;
  type?: RunType;
  /** One status, or several joined by a comma. */
  status?: RunStatus | `${RunStatus},${RunStatus}` | `${RunStatus},${RunStatus},${RunStatus}`;
  awaits?: 'approve' | 'apply';
  limit?: string;
};
export const runsQuery = (workspaceId: string, filter: RunFilter = {}) =>
  infiniteQueryOptions({
    queryKey: [...keys.runs(filter), 'pages'],
    queryFn: async ({ pageParam }) =>
      (await api.listRuns({ params: { workspaceId }, query: { ...filter, ...cursorOf(pageParam) } })).body,
    ...paged,
  });

type ActivityFilter = { capsuleId?: string; actorId?: string; targetType?: ActivityTarget; limit?: string };
export const activityQuery = (workspaceId: string, filter: ActivityFilter = {}) =>
  infiniteQueryOptions({
    queryKey: [...keys.activity(filter), 'pages'],
    queryFn: async ({ pageParam }) =>
      (await api.listActivity({ params: { workspaceId }, query: { ...filter, ...cursorOf(pageParam) } })).body,
    ...paged,
  });

/** Capsules of a Workspace that are not destroyed, and the dependencies between them. */
export const graphQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: keys.graph(workspaceId),
    queryFn: async () => (await api.getGraph({ params: { workspaceId } })).body,
  });

export const statesQuery = (capsuleId: string) =>
  infiniteQueryOptions({
    queryKey: [...keys.states(capsuleId), 'pages'],
    queryFn: async ({ pageParam }) =>
      (await api.listStateVersions({ params: { capsuleId }, query: { limit: '20', ...cursorOf(pageParam) } })).body,
    ...paged,
  });

export const snapshotsQuery = (sourceId: string) =>
  infiniteQueryOptions({
    queryKey: [...keys.snapshots(sourceId), 'pages'],
    queryFn: async ({ pageParam }) =>
      (await api.listSnapshots({ params: { sourceId }, query: { limit: '20', ...cursorOf(pageParam) } })).body,
    ...paged,
  });

/** The highest stable version among the tags of a public repository; null when there is none, or its tags cannot be listed. */
export const stableVersionQuery = (workspaceId: string, url: string) =>
  queryOptions({
    queryKey: ['stable-version', url],
    queryFn: async () => {
      try {
        return (await api.resolveStableVersion({ params: { workspaceId }, body: { url } })).body;
      } catch (error) {
        if (error instanceof ApiError) return null;
        throw error;
      }
    },
    // A tag that was pushed a moment ago can still be typed.
    staleTime: 300_000,
    retry: false,
  });

/** The newest snapshot of a Source; null before the first sync. */
export const newestSnapshotQuery = (sourceId: string) =>
  queryOptions({
    queryKey: [...keys.snapshots(sourceId), 'newest'],
    queryFn: async () =>
      (await api.listSnapshots({ params: { sourceId }, query: { limit: '1' } })).body.snapshots[0] ?? null,
  });

/** The snapshot with this id among the newest hundred of a Source; null when it is older. */
export const snapshotQuery = (sourceId: string, snapshotId: string) =>
  queryOptions({
    queryKey: [...keys.snapshots(sourceId), 'one', snapshotId],
    queryFn: async () => {
      const { snapshots } = (await api.listSnapshots({ params: { sourceId }, query: { limit: '100' } })).body;
      return snapshots.find(({ id }) => id === snapshotId) ?? null;
    },
    // A snapshot never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });

export const modulesQuery = (sourceId: string, sourceSnapshotId: string) =>
  queryOptions({
    queryKey: keys.modules(sourceSnapshotId),
    queryFn: async () => (await api.getInstallModules({ params: { sourceId, sourceSnapshotId } })).body,
  });

export const installPlansQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: keys.installPlans({ limit: '50' }),
    queryFn: async () =>
      (await api.listInstallPlans({ params: { workspaceId }, query: { limit: '50' } })).body.installPlans,
  });
