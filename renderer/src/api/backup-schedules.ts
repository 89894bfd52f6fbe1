import { queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';
import { keys } from './queries.ts';

/** Schedule of the backups of a Workspace, and the time of its newest backup. */
export const backupScheduleQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: keys.backupSchedule(workspaceId),
    queryFn: async () => (await api.getBackupSchedule({ params: { workspaceId } })).body,
  });
