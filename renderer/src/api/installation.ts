import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';
import { keys } from './queries.ts';

/** The pause of a restored installation, as every account sees it; null while it is not paused. */
export const pauseQuery = queryOptions({
  queryKey: keys.pause,
  queryFn: async () => (await api.getBootstrap({ query: { includeWorkspaces: '0' } })).body.pause ?? null,
});

/** The installation, for its owner. */
export const installationQuery = queryOptions({
  queryKey: keys.installation,
  queryFn: async () => (await api.getInstallation({})).body.installation,
});

const firstPage = undefined as string | undefined;

export const reviewedMembersQuery = infiniteQueryOptions({
  queryKey: keys.reviewedMembers,
  queryFn: async ({ pageParam: cursor }) => (await api.listReviewedMembers({ query: { cursor } })).body,
  initialPageParam: firstPage,
  getNextPageParam: ({ nextCursor }) => nextCursor,
});

export const reviewedConnectionsQuery = infiniteQueryOptions({
  queryKey: keys.reviewedConnections,
  queryFn: async ({ pageParam: cursor }) => (await api.listReviewedConnections({ query: { cursor } })).body,
  initialPageParam: firstPage,
  getNextPageParam: ({ nextCursor }) => nextCursor,
});

/** State of the newest recovery kit, for the owner of the installation. */
export const recoveryKitQuery = queryOptions({
  queryKey: keys.recoveryKit,
  queryFn: async () => (await api.getRecoveryKit({})).body.recoveryKit,
});
