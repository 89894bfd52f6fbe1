import type { ActivityService } from '#server/domains/activity/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { failedPrecondition, notFound } from '#server/kernel/errors';
import type { Outbox } from '#server/kernel/outbox';
import type { Cursors } from '#server/kernel/page';
import type { Role } from '#shared/permissions';
import type { PolicyConfig, Project, Workspace } from '#shared/workspaces/contract';
import { createWorkspaceChanges } from './changes.ts';
import { createWorkspaceCreation } from './create-workspace.ts';
import { createWorkspaceLists } from './lists.ts';
import { projectOf, workspaceOf } from './records.ts';
import { createWorkspacesStore } from './store.ts';

export type WorkspacesService = ReturnType<typeof createWorkspacesService>;

type Deps = {
  db: Db;
  clock: Clock;
  cursors: Cursors;
  outbox: Pick<Outbox, 'push'>;
  activity: Pick<ActivityService, 'record'>;
};

export function createWorkspacesService({ db, clock, cursors, outbox, activity }: Deps) {
  const store = createWorkspacesStore(db);

  function getWorkspace(id: string): Workspace {
    const row = store.findWorkspace(id);
    if (!row) throw notFound('Workspace');
    return workspaceOf(row);
  }

  return {
    getWorkspace,

    ...createWorkspaceCreation({ db, clock, activity, store }),
    ...createWorkspaceChanges({ db, clock, outbox, activity, store }),
    ...createWorkspaceLists({ cursors, store }),

    findWorkspaceId: store.findWorkspaceId,
    findProjectWorkspace: (id: string): string | undefined => store.findProject(id)?.workspaceId,
    findRoles(workspaceId: string, accountId: string): readonly Role[] | undefined {
      const role = store.findRole(workspaceId, accountId);
      return role && [role];
    },
    getHandle(workspaceId: string): string {
      const row = store.findWorkspace(workspaceId);
      if (!row) throw notFound('Workspace');
      return row.handle;
    },
    findByHandle: store.findByHandle,
    findPolicy: (workspaceId: string): PolicyConfig => store.findWorkspace(workspaceId)?.policy ?? {},

    isLive: (workspaceId: string): boolean => store.findWorkspace(workspaceId)?.archivedAt === null,

    /** Refuses writes to an archived Workspace (409) and to a deleted one (404). */
    requireLive(workspaceId: string): void {
      const row = store.findWorkspace(workspaceId);
      if (!row) throw notFound('Workspace');
      if (row.archivedAt !== null) {
        throw failedPrecondition('workspace_archived', 'This Workspace is archived. Unarchive it first.');
      }
    },

    getProject(id: string): Project {
      const row = store.findProject(id);
      if (!row) throw notFound('Project');
      return projectOf(row);
    },
  };
}
