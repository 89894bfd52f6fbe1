import { randomInt } from 'node:crypto';
import type { ActivityService } from '#server/domains/activity/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { failedPrecondition, invalidArgument } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import { Handle, Slug } from '#shared/kernel/scalars';
import type { workspacesApi } from '#shared/workspaces/api';
import type { Project, Workspace } from '#shared/workspaces/contract';
import { projectOf, workspaceOf } from './records.ts';
import type { WorkspacesStore } from './store.ts';

type Deps = { db: Db; clock: Clock; activity: Pick<ActivityService, 'record'>; store: WorkspacesStore };
type NewWorkspace = BodyOf<typeof workspacesApi.createWorkspace>;
type NewProject = BodyOf<typeof workspacesApi.createProject>;

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
const randomText = (length: number): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
export const defaultProjectId = (workspaceId: string): string => `prj_default_${workspaceId}`;

/**
 * Creates Workspaces with their owner and their default Project, and further Projects; each in one transaction with its
 * activity record.
 */
export function createWorkspaceCreation({ db, clock, activity, store }: Deps) {
  const stampsNow = () => ({ createdAt: clock.now(), updatedAt: clock.now() });

  function insert(accountId: string, fields: NewWorkspace): Workspace {
    const id = newId('workspace');
    const row = { id, ...fields, ownerUserId: accountId, ...stampsNow() };
    store.insertWorkspace(row);
    const membership = { id: newId('member'), workspaceId: id, accountId };
    store.insertMember({ ...membership, role: 'owner', status: 'active', ...stampsNow() });
    const context = { workspaceId: id, actorId: accountId };
    activity.record({ ...context, action: 'workspace.created', targetType: 'workspace', targetId: id });
    insertProject(defaultProjectId(id), { ...context, name: 'Default', slug: 'default', projectJson: {} });
    return workspaceOf({ ...row, policy: null, driftSchedule: null, archivedAt: null, deletedAt: null });
  }

  function insertProject(id: string, project: NewProject & { workspaceId: string; actorId: string }): Project {
    const { workspaceId, actorId, name, slug, projectJson, ...rest } = project;
    nothingLeft(rest);
    const row = { id, workspaceId, name, slug, projectJson, ...stampsNow() };
    store.insertProject(row);
    activity.record({ workspaceId, actorId, action: 'project.created', targetType: 'project', targetId: id });
    return projectOf(row);
  }

  function ensureWorkspace(accountId: string, name: () => Pick<Workspace, 'handle' | 'displayName'>): void {
    if (store.hasMembership(accountId)) return;
    db.write(() => {
      if (store.hasMembership(accountId)) return;
      insert(accountId, { ...name(), type: 'personal' });
    });
  }

  return {
    /**
     * Creates the personal Workspace, with the default Project, of an account without any membership. Writes only then.
     */
    ensurePersonalWorkspace: (accountId: string): void =>
      ensureWorkspace(accountId, () => ({ handle: `personal-${randomText(8)}`, displayName: 'Personal' })),

    /**
     * As `ensurePersonalWorkspace` for the local owner, whose Workspace becomes the team's once other users are added.
     */
    ensureMainWorkspace: (accountId: string): void =>
      ensureWorkspace(accountId, () => ({
        handle: store.findByHandle('main') !== undefined ? `main-${randomText(8)}` : 'main',
        displayName: 'Main',
      })),

    /** Creates a Workspace; the caller becomes its owner. Throws 400 `handle_invalid`, 409 `handle_taken`. */
    createWorkspace(accountId: string, { handle, displayName, type, ...rest }: NewWorkspace): Workspace {
      nothingLeft(rest);
      if (!Handle.safeParse(handle).success)
        throw invalidArgument(
          'handle_invalid',
          'A handle has 2 to 39 lower-case letters, digits and dashes, and begins with a letter or digit.',
        );
      return db.write(() => {
        if (store.findByHandle(handle) !== undefined)
          throw failedPrecondition('handle_taken', 'This handle is taken. Choose another.');
        return insert(accountId, { handle, displayName, type });
      });
    },

    /** Throws 400 `slug_invalid`, 409 `slug_taken`. */
    createProject(workspaceId: string, project: NewProject, actorId: string): Project {
      if (!Slug.safeParse(project.slug).success)
        throw invalidArgument(
          'slug_invalid',
          'A slug has up to 63 lower-case letters, digits and dashes, and begins with a letter or digit.',
        );
      return db.write(() => {
        if (store.hasSlug(workspaceId, project.slug))
          throw failedPrecondition('slug_taken', 'Another Project of this Workspace has this slug. Choose another.');
        return insertProject(newId('project'), { ...project, workspaceId, actorId });
      });
    },
  };
}
