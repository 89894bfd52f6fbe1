import { randomInt } from 'node:crypto';
import type { ActivityService } from '#server/activity/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { failedPrecondition, notFound } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import { afterCreated, type Cursors, createdOf, type PageAsk, readPage } from '#server/kernel/page';
import type { Role } from '#shared/permissions';
import type { Member, PolicyConfig, Project, Workspace } from '#shared/workspaces/contract';
import { createWorkspacesStore, type MemberRow, type ProjectRow, type WorkspaceRow } from './store.ts';

export type WorkspacesService = ReturnType<typeof createWorkspacesService>;

type Deps = { db: Db; clock: Clock; cursors: Cursors; activity: Pick<ActivityService, 'record'> };

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
const randomText = (length: number): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
export const defaultProjectId = (workspaceId: string): string => `prj_default_${workspaceId}`;

export function createWorkspacesService({ db, clock, cursors, activity }: Deps) {
  const store = createWorkspacesStore(db);

  function getWorkspace(id: string): Workspace {
    const row = store.findWorkspace(id);
    if (!row) throw notFound('Workspace');
    return workspaceOf(row);
  }

  return {
    getWorkspace,

    /** Gives an account without any membership its personal Workspace, with the default Project. Writes only then. */
    ensurePersonalWorkspace(accountId: string): void {
      if (store.hasMembership(accountId)) return;
      db.write(() => {
        if (store.hasMembership(accountId)) return;
        const now = clock.now();
        const id = newId('workspace');
        const handle = `personal-${randomText(8)}`;
        const stamps = { createdAt: now, updatedAt: now };
        store.insertWorkspace({
          id,
          handle,
          displayName: 'Personal',
          type: 'personal',
          ownerUserId: accountId,
          ...stamps,
        });
        store.insertMember({
          id: newId('member'),
          workspaceId: id,
          accountId,
          role: 'owner',
          status: 'active',
          ...stamps,
        });
        const projectId = defaultProjectId(id);
        store.insertProject({
          id: projectId,
          workspaceId: id,
          name: 'Default',
          slug: 'default',
          projectJson: {},
          ...stamps,
        });
        const deed = { workspaceId: id, actorId: accountId };
        activity.record({ ...deed, action: 'workspace.created', targetType: 'workspace', targetId: id });
        activity.record({ ...deed, action: 'project.created', targetType: 'project', targetId: projectId });
      });
    },

    findWorkspaceId: (id: string): string | undefined => store.findWorkspace(id)?.id,
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
    findPolicy: (workspaceId: string): PolicyConfig => store.findWorkspace(workspaceId)?.policy ?? {},

    isLive: (workspaceId: string): boolean => store.findWorkspace(workspaceId)?.archivedAt === null,

    /** Writes to an archived Workspace are refused. */
    requireLive(workspaceId: string): void {
      if (store.findWorkspace(workspaceId)?.archivedAt) {
        throw failedPrecondition('workspace_archived', 'This Workspace is archived. Take it out of the archive first.');
      }
    },

    listWorkspaces(accountId: string, query: PageAsk) {
      const { rows, limit, next } = readPage(cursors, query, {
        binding: `workspaces:${accountId}`,
        fetch: (after, most) => store.listOf(accountId, most, afterCreated(after)),
        positionOf: createdOf,
      });
      const truncated = next.nextCursor !== undefined;
      return { workspaces: rows.map(workspaceOf), returned: rows.length, limit, truncated, ...next };
    },

    listMembers: (workspaceId: string): Member[] => store.listMembers(workspaceId).map(memberOf),

    listProjects(workspaceId: string, query: PageAsk) {
      const { rows, next } = readPage(cursors, query, {
        binding: `projects:${workspaceId}`,
        fetch: (after, limit) => store.listProjects(workspaceId, limit, afterCreated(after)),
        positionOf: createdOf,
      });
      return { projects: rows.map(projectOf), ...next };
    },

    getProject(id: string): Project {
      const row = store.findProject(id);
      if (!row) throw notFound('Project');
      return projectOf(row);
    },
  };
}

const stampsOf = (row: { createdAt: number; updatedAt: number }) => ({
  createdAt: isoTime(row.createdAt),
  updatedAt: isoTime(row.updatedAt),
});

const workspaceOf = (row: WorkspaceRow): Workspace => ({
  id: row.id,
  handle: row.handle,
  displayName: row.displayName,
  type: row.type,
  ownerUserId: row.ownerUserId,
  ...(row.archivedAt !== null && { archivedAt: isoTime(row.archivedAt) }),
  ...(row.policy && { policy: row.policy }),
  ...stampsOf(row),
});

const memberOf = (row: MemberRow): Member => ({
  id: row.id,
  workspaceId: row.workspaceId,
  accountId: row.accountId,
  roles: [row.role],
  status: row.status,
  ...stampsOf(row),
});

const projectOf = ({ id, workspaceId, name, slug, projectJson, ...row }: ProjectRow): Project => ({
  id,
  workspaceId,
  name,
  slug,
  projectJson,
  ...stampsOf(row),
});
