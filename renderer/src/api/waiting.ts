import { queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';
import { keys } from './queries.ts';

/** Plans of a Workspace that wait for the signed-in person. */
export const waitingQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: keys.waiting(workspaceId),
    queryFn: async () => (await api.getWaiting({ params: { workspaceId } })).body.waiting,
  });

/** Events and Workspaces that the signed-in person is notified of. */
export const notificationPreferencesQuery = queryOptions({
  queryKey: keys.notificationPreferences,
  queryFn: async () => (await api.getNotificationPreferences({})).body,
});
