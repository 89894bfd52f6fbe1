import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';
import { keys } from './queries.ts';
import { readAll } from './read-all.ts';

const firstPage = undefined as string | undefined;

/** Pools of the installation, for its owner. */
export const runnerPoolsQuery = infiniteQueryOptions({
  queryKey: keys.runnerPools,
  queryFn: async ({ pageParam: cursor }) => (await api.listRunnerPools({ query: { cursor } })).body,
  initialPageParam: firstPage,
  getNextPageParam: ({ nextCursor }) => nextCursor,
});

/** Machines of a pool that are not revoked. */
export const runnerMachinesQuery = (poolId: string) =>
  queryOptions({
    queryKey: keys.runnerMachines(poolId),
    queryFn: async () => {
      const machines = await readAll(async (cursor) => {
        const { runnerMachines: rows, nextCursor } = (await api.listRunnerMachines({ query: { poolId, cursor } })).body;
        return { rows, nextCursor };
      });
      return machines.filter(({ state }) => state !== 'revoked');
    },
  });

/** Enrolments of a pool that a machine can still use. They are read again every minute, because they expire. */
export const openEnrolmentsQuery = (poolId: string) =>
  queryOptions({
    queryKey: keys.runnerEnrolments(poolId),
    queryFn: async () => {
      const all = await readAll(async (cursor) => {
        const { body } = await api.listRunnerEnrolments({ params: { poolId }, query: { cursor } });
        return { rows: body.runnerEnrolments, nextCursor: body.nextCursor };
      });
      return all.filter(({ status }) => status === 'open');
    },
    refetchInterval: 60_000,
  });

/** Pools that a Workspace may use, or could use earlier, `local` first. */
export const workspacePoolsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: keys.workspacePools(workspaceId),
    queryFn: async () => (await api.listWorkspaceRunnerPools({ params: { workspaceId } })).body.runnerPools,
  });
