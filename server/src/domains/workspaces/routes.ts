import { AppError } from '#server/kernel/errors';
import { actorOf, boundTo, type Caller, created, findStartPosition, type Mount, ok } from '#server/kernel/http/index';
import { nothingLeft } from '#shared/kernel/endpoint';
import { workspacesApi } from '#shared/workspaces/api';
import type { WorkspaceEvents } from './events.ts';
import type { WorkspacesService } from './service.ts';

type Parts = { workspaces: WorkspacesService; workspaceEvents: WorkspaceEvents };

/** Returns whose Workspaces a caller sees. Throws 403 `forbidden` for a bound token that names another one. */
export function viewerOf(caller: Caller, selectedWorkspaceId: string | undefined) {
  const only = boundTo(caller);
  if (only !== undefined && selectedWorkspaceId !== undefined && selectedWorkspaceId !== only)
    throw new AppError('forbidden', 'This token is bound to another Workspace. Use another token.');
  return { accountId: actorOf(caller), only };
}

export const workspacesRoutes = (mount: Mount, { workspaces, workspaceEvents }: Parts): void =>
  mount(workspacesApi, {
    listWorkspaceInventory: ({ query, caller }) => ok(workspaces.listInventory(actorOf(caller), query)),
    listWorkspaces: ({ query, caller }) => {
      const viewer = viewerOf(caller, query.selectedWorkspaceId);
      workspaces.ensurePersonalWorkspace(viewer.accountId);
      return ok(workspaces.listWorkspaces(viewer, query));
    },
    createWorkspace:
      ({ body, caller }) =>
      () =>
        created({ workspace: workspaces.createWorkspace(actorOf(caller), body) }),
    getWorkspace: ({ params }) => ok({ workspace: workspaces.getWorkspace(params.workspaceId) }),
    updateWorkspace:
      ({ params, body, caller }) =>
      () =>
        ok({ workspace: workspaces.updateWorkspace(params.workspaceId, body, actorOf(caller)) }),
    getWorkspaceEvents: ({ params, query: { after, ...rest }, caller }) => {
      nothingLeft(rest);
      return workspaceEvents.live(params.workspaceId, findStartPosition(caller, after));
    },
    getAccountEvents: ({ query: { after, ...rest }, caller }) => {
      nothingLeft(rest);
      return workspaceEvents.liveOfAccount(actorOf(caller), findStartPosition(caller, after));
    },
    listProjects: ({ params, query }) => ok(workspaces.listProjects(params.workspaceId, query)),
    createProject:
      ({ params, body, caller }) =>
      () =>
        created({ project: workspaces.createProject(params.workspaceId, body, actorOf(caller)) }),
    getProject: ({ params }) => ok({ project: workspaces.getProject(params.projectId) }),
  });
