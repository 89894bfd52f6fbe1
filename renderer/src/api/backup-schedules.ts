import { queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';
import { keys } from './queries.ts';

const pollIntervalMs = 3_000;

/**
 * Schedule of the backups of a Workspace, and the time of its newest backup. No event reports a copy, so this query polls
 * while one is made.
 */
export const backupScheduleQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: keys.backupSchedule(workspaceId),
    queryFn: async () => (await api.getBackupSchedule({ params: { workspaceId } })).body,
    refetchInterval: ({ state }) => (state.data?.schedule?.current ? pollIntervalMs : false),
  });
