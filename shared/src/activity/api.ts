import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { pageQueryOf } from '../kernel/page.ts';
import { pageSizes } from '../limits.ts';
import { activityTargets } from './actions.ts';
import { ActivityEvent } from './contract.ts';

export const activityApi = defineApi({
  listActivity: {
    method: 'GET',
    path: '/workspaces/:workspaceId/activity',
    summary: 'Operation history of a Workspace, newest first',
    class: 'R',
    descriptor: 13,
    params: z.strictObject({ workspaceId: z.string() }),
    query: pageQueryOf(pageSizes.runs).extend({
      /** Rows of this Capsule and its Runs. */
      capsuleId: z.string().min(1).max(64).optional(),
      /** Actions of this account, of the `operator`, or of the server (`system`). */
      actorId: z.string().min(1).max(64).optional(),
      targetType: z.enum(activityTargets).optional(),
    }),
    replies: { 200: z.strictObject({ events: z.array(ActivityEvent), nextCursor: z.string().optional() }) },
  },
});
