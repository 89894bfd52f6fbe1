import { actorOf, type Mount, ok, placeOf } from '#server/kernel/http/index';
import { workspacesApi } from '#shared/workspaces/api';
import type { WorkspaceEvents } from './events.ts';
import type { WorkspacesService } from './service.ts';

type Parts = { workspaces: WorkspacesService; workspaceEvents: WorkspaceEvents };

export const workspacesRoutes = (mount: Mount, { workspaces, workspaceEvents }: Parts): void =>
  mount(workspacesApi, {
    listWorkspaces: ({ query, caller }) => {
      const subject = actorOf(caller);
      workspaces.ensurePersonalWorkspace(subject);
      return ok(workspaces.listWorkspaces(subject, query));
    },
    getWorkspace: ({ params }) => ok({ workspace: workspaces.getWorkspace(params.workspaceId) }),
    getWorkspaceEvents: ({ params, query, caller }) =>
      workspaceEvents.live(params.workspaceId, placeOf(caller, query.after)),
    listMembers: ({ params }) => ok({ members: workspaces.listMembers(params.workspaceId) }),
    listProjects: ({ params, query }) => ok(workspaces.listProjects(params.workspaceId, query)),
    getProject: ({ params }) => ok({ project: workspaces.getProject(params.projectId) }),
  });
