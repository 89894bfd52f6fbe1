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

export const workspaceQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: keys.workspace(workspaceId),
    queryFn: async () => (await api.getWorkspace({ params: { workspaceId } })).body.workspace,
  });

/** The first Capsules of a Workspace with drift that no person has acknowledged, and whether there are more. */
export const driftQuery = (workspaceId: string, limit: string) =>
  queryOptions({
    // Nested under the Capsules, because a mark follows their Runs.
    queryKey: [...keys.capsules(), 'drift', limit],
    queryFn: async () =>
      (await api.listDrift({ params: { workspaceId }, query: { status: 'drifted,failed', limit } })).body,
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

type CapsuleFilter = { q?: string; label?: string; sourceId?: string; includeDestroyed?: '0' | '1'; limit?: string };
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

export const snapshotQuery = (sourceId: string, sourceSnapshotId: string) =>
  queryOptions({
    queryKey: [...keys.snapshots(sourceId), 'one', sourceSnapshotId],
    queryFn: async () => (await api.getSnapshot({ params: { sourceId, sourceSnapshotId } })).body.snapshot,
    // Only a later sync adds to a snapshot, and its event ends the query.
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Changes of the code from one snapshot of a Source to another; archives never change. */
export const comparisonQuery = ({ sourceId, from, to }: { sourceId: string; from: string; to: string }) =>
  queryOptions({
    queryKey: keys.comparison(from, to),
    queryFn: async () =>
      (await api.compareSnapshots({ params: { sourceId, sourceSnapshotId: to }, query: { from } })).body.comparison,
    staleTime: Number.POSITIVE_INFINITY,
  });

type CodeRange = { sourceId: string; sourceSnapshotId: string; path: string; from: number; to: number };
/** Lines of a file of a snapshot. */
export const codeLinesQuery = ({ sourceId, sourceSnapshotId, path, from, to }: CodeRange) =>
  queryOptions({
    queryKey: keys.code(sourceSnapshotId, path, `${from}-${to}`),
    queryFn: async () => {
      const query = { path, from: `${from}`, to: `${to}` };
      return (await api.getSnapshotLines({ params: { sourceId, sourceSnapshotId }, query })).body;
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

/** Subjects of commits by the id of their snapshot, with one request for a list. */
export const subjectsQuery = (workspaceId: string, sourceSnapshotIds: string) =>
  queryOptions({
    queryKey: keys.subjects(sourceSnapshotIds),
    queryFn: async () => {
      const { subjects } = (await api.listCommitSubjects({ params: { workspaceId }, query: { sourceSnapshotIds } }))
        .body;
      return new Map(subjects.map((row) => [row.sourceSnapshotId, row.subject]));
    },
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
