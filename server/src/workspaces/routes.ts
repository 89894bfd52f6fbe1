import { actorOf, type Mount, ok } from '#server/kernel/http/index';
import { workspacesApi } from '#shared/workspaces/api';
import type { WorkspacesService } from './service.ts';

export const workspacesRoutes = (mount: Mount, workspaces: WorkspacesService): void =>
  mount(workspacesApi, {
    listWorkspaces: ({ query, caller }) => {
      const subject = actorOf(caller);
      workspaces.ensurePersonalWorkspace(subject);
      return ok(workspaces.listWorkspaces(subject, query));
    },
    getWorkspace: ({ params }) => ok({ workspace: workspaces.getWorkspace(params.workspaceId) }),
    listMembers: ({ params }) => ok({ members: workspaces.listMembers(params.workspaceId) }),
    listProjects: ({ params, query }) => ok(workspaces.listProjects(params.workspaceId, query)),
    getProject: ({ params }) => ok({ project: workspaces.getProject(params.projectId) }),
  });
