import type { ActivityService } from '#server/domains/activity/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { jsonDigest } from '#server/kernel/digest';
import { failedPrecondition, invalidArgument, notFound } from '#server/kernel/errors';
import type { Outbox } from '#server/kernel/outbox';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import type { workspacesApi } from '#shared/workspaces/api';
import type { Workspace } from '#shared/workspaces/contract';
import { driftScheduleOf, workspaceOf } from './records.ts';
import type { WorkspaceRow, WorkspacesStore } from './store.ts';

type Deps = {
  db: Db;
  clock: Clock;
  outbox: Pick<Outbox, 'push'>;
  activity: Pick<ActivityService, 'record'>;
  store: WorkspacesStore;
};
type Patch = BodyOf<typeof workspacesApi.updateWorkspace>;

/** Changes a Workspace, and stops the work of an archived one. */
export function createWorkspaceChanges({ db, clock, outbox, activity, store }: Deps) {
  const switched: ((workspaceId: string) => void)[] = [];
  const archiving: ((workspaceId: string, actorId: string) => void)[] = [];

  const hasOther = (id: string, accountId: string): boolean => {
    const isActive = store.findMine({ accountId, includeArchived: false }, id) !== undefined;
    return store.countMine({ accountId, includeArchived: false }) > (isActive ? 1 : 0);
  };

  /** Throws 409 `last_active_workspace` when the caller would have no Workspace left. */
  function archive(id: string, actorId: string): void {
    if (!hasOther(id, actorId)) throw lastActive();
    for (const work of archiving) work(id, actorId);
  }

  function write(id: string, patch: Patch, actorId: string): void {
    const { policy, archived, displayName, driftSchedule } = patch;
    if (archived) archive(id, actorId);
    const now = clock.now();
    store.updateWorkspace(id, {
      ...(displayName !== undefined && { displayName }),
      ...(policy !== undefined && { policy }),
      ...(driftSchedule !== undefined && { driftSchedule }),
      ...(archived !== undefined && { archivedAt: archived ? now : null }),
      updatedAt: now,
    });
    const metadata = {
      fields: Object.keys(patch),
      ...(policy !== undefined && { policyDigest: jsonDigest(policy) }),
      ...(archived !== undefined && { archived }),
      ...(driftSchedule !== undefined && { driftSchedule }),
    };
    const record = { action: 'workspace.updated', targetType: 'workspace', targetId: id, metadata } as const;
    activity.record({ workspaceId: id, actorId, ...record });
    outbox.push({ workspaceId: id, kind: 'workspace', recordId: id });
  }

  return {
    /**
     * Throws 400 `empty_patch`, 409 `last_active_workspace`. Fields that already have the requested value are not
     * changed.
     */
    updateWorkspace(id: string, input: Patch, actorId: string): Workspace {
      if (Object.values(input).every((value) => value === undefined))
        throw invalidArgument('empty_patch', 'Name at least one field to change.');
      return db.write(() => {
        const patch = changesOf(requireRow(store, id), input);
        if (Object.keys(patch).length > 0) write(id, patch, actorId);
        if (patch.archived !== undefined) for (const work of switched) work(id);
        return workspaceOf(requireRow(store, id));
      });
    },

    /** Reports whether an account has another active Workspace than this one. */
    hasOther,

    /**
     * Hides a Workspace and frees its handle, in the transaction that deletes it. Ends what archiving ends. 409
     * `last_active_workspace`.
     */
    hideWorkspace(id: string, actorId: string): void {
      archive(id, actorId);
      const now = clock.now();
      store.updateWorkspace(id, { handle: id, archivedAt: now, deletedAt: now, updatedAt: now });
      outbox.push({ workspaceId: id, kind: 'workspace', recordId: id });
    },

    /** Registers work that runs inside the transaction in which a Workspace is archived. */
    onArchive: (work: (workspaceId: string, actorId: string) => void): void => void archiving.push(work),

    /** Registers work that runs inside the transaction in which a Workspace was archived or unarchived. */
    onSwitched: (work: (workspaceId: string) => void): void => void switched.push(work),
  };
}

const lastActive = () =>
  failedPrecondition('last_active_workspace', 'This is your only Workspace. Create another one first.');

function requireRow(store: WorkspacesStore, id: string) {
  const row = store.findWorkspace(id);
  if (!row) throw notFound('Workspace');
  return row;
}

/** Returns the part of a patch that differs from the current values. */
function changesOf(row: WorkspaceRow, { displayName, policy, archived, driftSchedule, ...rest }: Patch): Patch {
  nothingLeft(rest);
  const isNewPolicy = policy !== undefined && jsonDigest(policy) !== jsonDigest(row.policy ?? {});
  return {
    ...(displayName !== undefined && displayName !== row.displayName && { displayName }),
    ...(isNewPolicy && { policy }),
    ...(archived !== undefined && archived !== (row.archivedAt !== null) && { archived }),
    ...(driftSchedule !== undefined && driftSchedule !== driftScheduleOf(row) && { driftSchedule }),
  };
}
