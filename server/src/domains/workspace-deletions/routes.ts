import { notFound } from '#server/kernel/errors';
import { actorOf, boundTo, created, type Mount, ok } from '#server/kernel/http/index';
import { workspaceDeletionsApi } from '#shared/workspace-deletions/api';
import type { WorkspaceDeletionsService } from './service.ts';

export const workspaceDeletionsRoutes = (mount: Mount, deletions: WorkspaceDeletionsService): void =>
  mount(workspaceDeletionsApi, {
    previewWorkspaceDeletion: ({ params, caller }) =>
      ok({ preview: deletions.preview(params.workspaceId, actorOf(caller)) }),
    deleteWorkspace:
      ({ body, caller }) =>
      () =>
        created({ deletion: deletions.deleteWorkspace(body, actorOf(caller)) }),
    getWorkspaceDeletion: ({ params, caller }) => {
      if (boundTo(caller) !== undefined) throw notFound('deletion');
      return ok({ deletion: deletions.getDeletion(params.deletedWorkspaceId, actorOf(caller)) });
    },
  });
