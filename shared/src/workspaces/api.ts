import { z } from 'zod';
import { DriftSchedule } from '../drift/schedule.ts';
import { defineApi } from '../kernel/endpoint.ts';
import { pageQuery, Sequence } from '../kernel/page.ts';
import { Count, DisplayName, QueryBoolean } from '../kernel/scalars.ts';
import { vendor } from '../vendor.ts';
import { PolicyConfig, Project, Workspace, workspaceTypes } from './contract.ts';

const workspacePath = z.strictObject({ workspaceId: z.string() });

const workspacePage = {
  workspaces: z.array(Workspace),
  returned: Count,
  limit: Count,
  truncated: z.boolean(),
  nextCursor: z.string().optional(),
};

export const workspacesApi = defineApi({
  listWorkspaceInventory: {
    method: 'GET',
    path: '/views/workspaces.v1',
    summary: 'Every Workspace that the account is a member of, archived ones too',
    class: 'S',
    descriptor: 3,
    query: z.strictObject(pageQuery.shape),
    closedQuery: true,
    replies: {
      200: z.strictObject({
        kind: z.literal(`${vendor}.account-workspace-inventory@v1`),
        ...workspacePage,
        total: Count,
      }),
    },
  },
  listWorkspaces: {
    method: 'GET',
    path: '/workspaces',
    summary: 'Workspaces of the caller',
    class: 'A',
    descriptor: 4,
    query: pageQuery.extend({
      order: z.enum(['created_asc', 'updated_desc']).optional(),
      /** Includes this record in the answer, whatever its position in the order. */
      selectedWorkspaceId: z.string().max(128).optional(),
      includeTotal: QueryBoolean.optional(),
      includeArchived: QueryBoolean.optional(),
    }),
    replies: {
      200: z.strictObject({ ...workspacePage, pinnedWorkspaceId: z.string().optional(), total: Count.optional() }),
    },
  },
  createWorkspace: {
    method: 'POST',
    path: '/workspaces',
    summary: 'Make a Workspace; the caller becomes its owner',
    class: 'A',
    descriptor: 5,
    body: z
      .strictObject({
        handle: z.string().max(128),
        /** Default: the handle. */
        displayName: DisplayName.optional(),
        type: z.enum(workspaceTypes).default('personal'),
      })
      .transform(({ displayName, ...body }) => ({ ...body, displayName: displayName ?? body.handle })),
    replies: { 201: z.strictObject({ workspace: Workspace }) },
    errors: ['invalid_argument', 'failed_precondition'],
  },
  getWorkspace: {
    method: 'GET',
    path: '/workspaces/:workspaceId',
    summary: 'Read a Workspace',
    class: 'R',
    descriptor: 6,
    params: workspacePath,
    replies: { 200: z.strictObject({ workspace: Workspace }) },
  },
  updateWorkspace: {
    method: 'PATCH',
    path: '/workspaces/:workspaceId',
    summary: 'Rename a Workspace, set its policy, schedule drift checks, archive it or take it out of the archive',
    class: 'W',
    descriptor: 7,
    whenArchived: true,
    params: workspacePath,
    body: z.strictObject({
      displayName: DisplayName.optional(),
      policy: PolicyConfig.optional(),
      archived: z.boolean().optional(),
      driftSchedule: DriftSchedule.optional(),
    }),
    replies: { 200: z.strictObject({ workspace: Workspace }) },
    errors: ['invalid_argument', 'failed_precondition'],
  },
  getWorkspaceEvents: {
    method: 'GET',
    path: '/workspaces/:workspaceId/events',
    summary: 'What changes in a Workspace, live',
    class: 'R',
    params: workspacePath,
    query: z.object({ after: Sequence.optional() }),
    streams: ['text/event-stream'],
    replies: {},
  },
  getAccountEvents: {
    method: 'GET',
    path: '/account/events',
    summary: 'What changes for the Runs of all Workspaces of the account, live',
    class: 'S',
    query: z.object({ after: Sequence.optional() }),
    streams: ['text/event-stream'],
    replies: {},
  },
  listProjects: {
    method: 'GET',
    path: '/workspaces/:workspaceId/projects',
    summary: 'Projects of a Workspace',
    class: 'R',
    descriptor: 24,
    params: workspacePath,
    query: pageQuery,
    replies: { 200: z.strictObject({ projects: z.array(Project), nextCursor: z.string().optional() }) },
  },
  createProject: {
    method: 'POST',
    path: '/workspaces/:workspaceId/projects',
    summary: 'Make a Project',
    class: 'W',
    descriptor: 25,
    params: workspacePath,
    body: z.strictObject({
      name: DisplayName,
      slug: z.string().max(128),
      projectJson: z.record(z.string(), z.unknown()).default({}),
    }),
    replies: { 201: z.strictObject({ project: Project }) },
    errors: ['invalid_argument'],
  },
  getProject: {
    method: 'GET',
    path: '/projects/:projectId',
    summary: 'Read a Project',
    class: 'R',
    descriptor: 26,
    params: z.strictObject({ projectId: z.string() }),
    replies: { 200: z.strictObject({ project: Project }) },
  },
});
