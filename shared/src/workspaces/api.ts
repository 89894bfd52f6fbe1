import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { pageQuery, Sequence } from '../kernel/page.ts';
import { Member, Project, Workspace } from './contract.ts';

const workspacePath = z.strictObject({ workspaceId: z.string() });

export const workspacesApi = defineApi({
  listWorkspaces: {
    method: 'GET',
    path: '/workspaces',
    summary: 'Workspaces of the caller',
    class: 'A',
    descriptor: 4,
    query: pageQuery,
    replies: {
      200: z.strictObject({
        workspaces: z.array(Workspace),
        returned: z.int(),
        limit: z.int(),
        truncated: z.boolean(),
        nextCursor: z.string().optional(),
      }),
    },
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
  listMembers: {
    method: 'GET',
    path: '/workspaces/:workspaceId/members',
    summary: 'Members of a Workspace',
    class: 'R',
    descriptor: 8,
    params: workspacePath,
    replies: { 200: z.strictObject({ members: z.array(Member) }) },
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
