import { queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';

/** The README of a folder of a snapshot; null without one. Nothing is requested before both are known. */
export const readmeQuery = (sourceId: string, at: { snapshotId: string; path: string } | undefined) =>
  queryOptions({
    queryKey: ['readme', at?.snapshotId, at?.path],
    queryFn: async () => {
      const params = { sourceId, sourceSnapshotId: at?.snapshotId ?? 'unknown' };
      return (await api.getSnapshotReadme({ params, query: { path: at?.path ?? '.' } })).body.readme ?? null;
    },
    enabled: at !== undefined,
    // A snapshot never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The tool and providers of the current state; null before the first apply. */
export const toolchainQuery = (capsuleId: string) =>
  queryOptions({
    queryKey: ['state_version', 'toolchain', capsuleId],
    queryFn: async () => (await api.getToolchain({ params: { capsuleId } })).body.toolchain,
  });
