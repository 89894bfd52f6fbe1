import { z } from 'zod';
import { ActivityEvent } from '../activity/contract.ts';
import { Capsule } from '../capsules/contract.ts';
import { InstallConfig } from '../install-configs/contract.ts';
import { PauseNotice } from '../installation/contract.ts';
import { defineApi } from '../kernel/endpoint.ts';
import { limitOf, pageQueryOf } from '../kernel/page.ts';
import { Count, QueryBoolean } from '../kernel/scalars.ts';
import { pageSizes } from '../limits.ts';
import { StateVersion } from '../state-versions/contract.ts';
import { Workspace } from '../workspaces/contract.ts';
import { AttentionItem, attentionKinds } from './attention.ts';

const WorkspaceList = z.strictObject({
  total: Count.optional(),
  returned: Count,
  limit: Count,
  truncated: z.boolean(),
});
const workspaceQuery = {
  workspaceId: z.string().max(128).optional(),
  includeWorkspaces: QueryBoolean.optional(),
  workspaceLimit: limitOf(pageSizes.overviewWorkspaces),
};

/** Data of the first screen, in one read per part. */
export const dashboardApi = defineApi({
  getBootstrap: {
    method: 'GET',
    path: '/dashboard/bootstrap',
    summary: 'Who is signed in, their Workspaces, and what happened lately',
    class: 'A',
    descriptor: 1,
    query: z.object({ ...workspaceQuery, includeNotifications: QueryBoolean.optional() }),
    replies: {
      200: z.strictObject({
        session: z.strictObject({ subject: z.string() }),
        /** Present while a restored installation is paused. */
        pause: PauseNotice.optional(),
        workspaces: z.array(Workspace).optional(),
        workspaceList: WorkspaceList.optional(),
        notifications: z.array(z.strictObject({ event: ActivityEvent, workspaceHandle: z.string() })).optional(),
      }),
    },
  },
  getOverview: {
    method: 'GET',
    path: '/dashboard/overview',
    summary: 'One Workspace at a glance',
    class: 'A',
    descriptor: 2,
    query: z.object({
      ...workspaceQuery,
      capsuleLimit: limitOf(pageSizes.list),
      activityLimit: limitOf(pageSizes.overviewActivity),
      installConfigLimit: limitOf(pageSizes.overviewConfigs),
    }),
    replies: {
      200: z.strictObject({
        workspaces: z.array(Workspace),
        workspaceList: WorkspaceList,
        workspace: Workspace.nullable(),
        capsules: z.array(Capsule),
        currentStateVersions: z.array(StateVersion),
        activity: z.array(ActivityEvent),
        installConfigs: z.array(InstallConfig),
        nextCapsuleCursor: z.string().optional(),
      }),
    },
  },
  getAttention: {
    method: 'GET',
    path: '/workspaces/:workspaceId/attention',
    summary: 'What needs attention in a Workspace: exact counts, and the newest items of each kind or pages of one',
    class: 'R',
    params: z.strictObject({ workspaceId: z.string() }),
    query: pageQueryOf(pageSizes.attention).extend({ kind: z.enum(attentionKinds).optional() }),
    replies: {
      200: z.strictObject({
        /** Every kind, most urgent first. */
        counts: z.array(z.strictObject({ kind: z.enum(attentionKinds), count: Count })),
        items: z.array(AttentionItem),
        nextCursor: z.string().optional(),
      }),
    },
  },
  createSample: {
    method: 'POST',
    path: '/workspaces/:workspaceId/sample',
    summary: 'Write the repository of the bundled sample module, to install it from its address',
    class: 'propose',
    params: z.strictObject({ workspaceId: z.string() }),
    replies: { 200: z.strictObject({ url: z.string() }) },
    errors: ['capability_not_available'],
  },
});
