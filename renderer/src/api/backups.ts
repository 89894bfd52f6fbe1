import { infiniteQueryOptions, queryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Backup } from '#shared/backups/contract';
import type { RunRow } from '#shared/runs/contract';
import { api } from './client.ts';
import { keys } from './queries.ts';
import { rawRequest } from './raw-request.ts';
import { readAll } from './read-all.ts';
import { runsQuery } from './records.ts';

/** Backups of a Workspace and of its Capsules, newest first. */
export const backupsQuery = (workspaceId: string) =>
  infiniteQueryOptions({
    queryKey: [...keys.backups(workspaceId), 'pages'],
    queryFn: async ({ pageParam: cursor }) => {
      const query = { limit: '25', ...(cursor !== undefined && { cursor }) };
      return (await api.listBackups({ params: { workspaceId }, query })).body;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

/** One backup; null when the list does not have it. */
export const backupQuery = (workspaceId: string, backupId: string) =>
  queryOptions({
    queryKey: [...keys.backups(workspaceId), 'one', backupId],
    queryFn: async () => {
      const isIt = ({ id }: Backup) => id === backupId;
      const read = await readAll(async (cursor) => {
        const query = { limit: '100', ...(cursor !== undefined && { cursor }) };
        const { body } = await api.listBackups({ params: { workspaceId }, query });
        return { rows: body.backups, nextCursor: body.nextCursor };
      }, isIt);
      return read.find(isIt) ?? null;
    },
  });

/**
 * Returns the Runs that made these backups, by their id, and those that make one now. Further Runs are loaded until
 * every backup has its own.
 */
export function useBackupRuns(workspaceId: string, backups: readonly Backup[]) {
  const pages = useInfiniteQuery(runsQuery(workspaceId, { type: 'backup', limit: '100' }));
  const rows = pages.data?.pages.flatMap((page) => page.runs) ?? [];
  const runs: ReadonlyMap<string, RunRow> = new Map(rows.map((run) => [run.id, run]));
  const isShort = backups.some(({ createdByRunId }) => createdByRunId !== undefined && !runs.has(createdByRunId));
  const { hasNextPage, isFetching, isError, fetchNextPage } = pages;
  const needsMore = isShort && hasNextPage && !isFetching && !isError;
  useEffect(() => {
    if (needsMore) void fetchNextPage();
  }, [needsMore, fetchNextPage]);
  return { runs, open: rows.filter(({ status }) => status === 'queued' || status === 'running') };
}

/** Review of a restore Run, page by page. */
export const restoreReviewQuery = (runId: string) =>
  infiniteQueryOptions({
    queryKey: keys.restore(runId),
    queryFn: async ({ pageParam: cursor }) => {
      const query = { limit: '25', ...(cursor !== undefined && { cursor }) };
      return (await api.getRestoreReview({ params: { runId }, query })).body;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

/**
 * Downloads a backup as a file that the browser writes to disk as it arrives. The first byte is requested before, so that
 * a refusal is shown on the page. Throws `ApiError` for a refusal.
 */
export async function downloadBackup({ workspaceId, id }: Backup): Promise<void> {
  const path = `/api/v1/workspaces/${workspaceId}/backups/${id}/download`;
  const answer = await rawRequest(path, { headers: { range: 'bytes=0-0' } });
  await answer.body?.cancel();
  const link = document.createElement('a');
  link.href = path;
  link.download = `${id}.age`;
  link.click();
}
