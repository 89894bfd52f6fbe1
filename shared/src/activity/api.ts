import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { pageQuery } from '../kernel/page.ts';
import { ActivityEvent } from './contract.ts';

export const activityApi = defineApi({
  listActivity: {
    method: 'GET',
    path: '/workspaces/:workspaceId/activity',
    summary: 'Operation history of a Workspace, newest first',
    class: 'R',
    descriptor: 13,
    params: z.strictObject({ workspaceId: z.string() }),
    query: pageQuery,
    replies: { 200: z.strictObject({ events: z.array(ActivityEvent), nextCursor: z.string().optional() }) },
  },
});
