import { type Mount, ok } from '#server/kernel/http/index';
import { activityApi } from '#shared/activity/api';
import type { ActivityService } from './service.ts';

export const activityRoutes = (mount: Mount, activity: ActivityService): void =>
  mount(activityApi, {
    listActivity: ({ params, query }) => ok(activity.list(params.workspaceId, query)),
  });
