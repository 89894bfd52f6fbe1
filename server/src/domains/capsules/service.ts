import type { ActivityService } from '#server/domains/activity/index';
import type { RunsService } from '#server/domains/runs/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import { defaultProjectId } from '#server/domains/workspaces/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { jsonDigest } from '#server/kernel/digest';
import { AppError, failedPrecondition, notFound } from '#server/kernel/errors';
import { failpoint } from '#server/kernel/failpoints';
import { newId } from '#server/kernel/ids';
import type { Outbox } from '#server/kernel/outbox';
import { type Cursors, type PageQuery, readTimedPage } from '#server/kernel/page';
import type { AdoptedSourceRevision, Capsule } from '#shared/capsules/contract';
import { type CapsuleEvent, capsuleMachine } from '#shared/capsules/machine';
import { next } from '#shared/kernel/machine';
import type { CompatibilityLevel } from '#shared/sources/report';
import { type CapsulePatch, columnsOf, entriesOf, requireChange, switchOf } from './changes.ts';
import { type CapsuleRecordPorts, createCapsuleRecords } from './record.ts';
import { createFreeSlug } from './slugs.ts';
import { type CapsuleRow, createCapsulesStore } from './store.ts';
import { listUsablePaths, type WritablePathsPorts } from './writable-paths.ts';

export type CapsulesService = ReturnType<typeof createCapsulesService>;
export type { CapsuleRow };
export type NewCapsule = {
  /** Generated unless set. */
  id?: string | undefined;
  workspaceId: string;
  /** The default Project of the Workspace unless set. */
  projectId?: string | undefined;
  name: string;
  environment: string;
  sourceId: string;
  installConfigId: string;
  compatibilityReportId: string;
  compatibilityStatus: CompatibilityLevel;
};
export type CapsuleQuery = PageQuery & {
  includeDestroyed?: boolean | undefined;
  /** Part of the name, or of the id. */
  q?: string | undefined;
  order?: 'updated_desc' | undefined;
};
/** Changes of a committed apply, besides the status. */
export type CommitChange = {
  currentStateVersionId?: string;
  currentStateGeneration?: number;
  runtimeSafety: 'safe' | 'unknown';
  adoptedSourceRevision?: AdoptedSourceRevision;
};

type Deps = {
  db: Db;
  clock: Clock;
  cursors: Cursors;
  outbox: Outbox;
  runs: RunsService;
  activity: Pick<ActivityService, 'record'>;
  workspaces: Pick<WorkspacesService, 'getHandle' | 'findByHandle'>;
  configDigest: CapsuleRecordPorts['configDigest'];
  writing: WritablePathsPorts;
};

export function createCapsulesService(deps: Deps) {
  const { db, clock, cursors, outbox, runs, activity } = deps;
  const store = createCapsulesStore(db);
  const freeSlug = createFreeSlug({ store, workspaces: deps.workspaces });
  const { capsuleOf, guardOf } = createCapsuleRecords(deps);

  function getRow(id: string): CapsuleRow {
    const row = store.findCapsule(id);
    if (!row) throw notFound('Capsule');
    return row;
  }

  /** Requires that (Project, name, environment) is unique among Capsules that are not destroyed. 409 `capsule_name_taken`. */
  function requireFreeName(at: Pick<NewCapsule, 'workspaceId' | 'projectId' | 'name' | 'environment'>): void {
    const other = store.findLive({
      projectId: at.projectId ?? defaultProjectId(at.workspaceId),
      name: at.name,
      environment: at.environment,
    });
    if (!other) return;
    const details =
      other.status === 'pending' && !runs.findActive(other.id)
        ? { capsuleId: other.id, capsuleStatus: other.status }
        : {};
    throw failedPrecondition(
      'capsule_name_taken',
      'A Capsule of this name exists in this environment. Choose another name.',
      details,
    );
  }

  /** The only writer of `status`: reads the row, applies the state machine, changes exactly one row and publishes the change. */
  function move(id: string, event: CapsuleEvent, set: Partial<CapsuleRow> = {}): Capsule {
    const row = getRow(id);
    const status = next(capsuleMachine, row.status, event);
    if (!status)
      throw new AppError('conflict', `A Capsule with status ${row.status} does not accept the step "${event}".`);
    if (!store.moveCapsule(id, row, { ...set, status, updatedAt: clock.now() })) {
      throw new AppError('conflict', 'The Capsule was modified by another request. Reload and try again.');
    }
    outbox.push({ workspaceId: row.workspaceId, kind: 'capsule', recordId: id, status });
    return capsuleOf(getRow(id));
  }

  function set(id: string, columns: Partial<Pick<CapsuleRow, 'autoUpdate' | 'writablePaths'>>): void {
    const row = getRow(id);
    if (!store.moveCapsule(id, row, { ...columns, updatedAt: clock.now() }))
      throw new AppError('conflict', 'The Capsule was modified by another request. Reload and try again.');
    outbox.push({ workspaceId: row.workspaceId, kind: 'capsule', recordId: id, status: row.status });
  }

  function requireNoRun(id: string): void {
    if (runs.findActive(id) === undefined && !runs.isAwaited(id)) return;
    throw failedPrecondition(
      'run_in_progress',
      'A Run of this Capsule is queued or running, or its plan waits for review. Apply, discard or cancel it, then change the folders.',
    );
  }

  return {
    getRow,
    move,
    requireFreeName,
    /** Returns the slug that the next Capsule of this name gets. */
    freeSlug,
    hasSource: store.hasSource,
    listOfSource: store.listOfSource,
    /** The lanes that Capsules of a Source run from, without destroyed ones, with repeats. */
    listAdoptedLanes: (sourceId: string): { ref: string; path: string }[] =>
      store.listOfSource(sourceId).flatMap(({ adoptedSourceRevision }) => adoptedSourceRevision ?? []),
    findWorkspace: (id: string): string | undefined => store.findCapsule(id)?.workspaceId,
    getCapsule: (id: string): Capsule => capsuleOf(getRow(id)),

    getGuarded(id: string) {
      const row = getRow(id);
      const installConfigReAdoption = { authorityGuard: guardOf(row) };
      return { capsule: { ...capsuleOf(row), installConfigReAdoption }, installConfigReAdoption };
    },

    create(input: NewCapsule, actorId: string): Capsule {
      requireFreeName(input);
      const now = clock.now();
      const row: CapsuleRow = {
        ...input,
        id: input.id ?? newId('capsule'),
        projectId: input.projectId ?? defaultProjectId(input.workspaceId),
        slug: freeSlug(input.workspaceId, input.name),
        status: 'pending',
        currentStateVersionId: null,
        currentStateGeneration: 0,
        executionAuthorityEpoch: 1,
        runtimeSafety: null,
        autoUpdate: null,
        writablePaths: null,
        disabledFrom: null,
        adoptedSourceRevision: null,
        createdAt: now,
        updatedAt: now,
      };
      store.insertCapsule(row);
      activity.record({
        workspaceId: row.workspaceId,
        actorId,
        action: 'capsule.created',
        targetType: 'capsule',
        targetId: row.id,
        metadata: { name: row.name },
      });
      outbox.push({ workspaceId: row.workspaceId, kind: 'capsule', recordId: row.id, status: row.status });
      return capsuleOf(row);
    },

    /**
     * Moves the Capsule to another configuration while it still matches the guard: the authority generation advances, and open plans are
     * superseded. 409 `capsule_install_config_rebind_conflict`.
     */
    rebind(id: string, to: { authorityGuard: string; installConfigId: string }): Capsule {
      const row = getRow(id);
      const { installConfigId } = to;
      const executionAuthorityEpoch = row.executionAuthorityEpoch + 1;
      const set = { installConfigId, executionAuthorityEpoch, updatedAt: clock.now() };
      if (guardOf(row) !== to.authorityGuard || !store.moveCapsule(id, row, set)) {
        throw failedPrecondition(
          'capsule_install_config_rebind_conflict',
          'The Capsule has changed since you read it. Reload and try again.',
        );
      }
      runs.supersede(id, 'authority_epoch');
      outbox.push({ workspaceId: row.workspaceId, kind: 'capsule', recordId: id, status: row.status });
      return capsuleOf(getRow(id));
    },

    /**
     * Corrects the status, enables or disables automatic updates, or sets the folders that Runs may write to. 409 `run_in_progress` for
     * the folders while a Run would use others than those that were approved.
     */
    change(id: string, patch: CapsulePatch, actorId: string): Capsule {
      return db.write(() => {
        const row = getRow(id);
        const { status } = requireChange(row, patch);
        const columns = columnsOf(row, patch, deps.writing);
        if (columns.writablePaths !== undefined) requireNoRun(id);
        if (status !== undefined) move(id, `set_${status}`);
        if (Object.keys(columns).length > 0) set(id, columns);
        for (const entry of entriesOf(row, getRow(id)))
          activity.record({ workspaceId: row.workspaceId, actorId, targetType: 'capsule', targetId: id, ...entry });
        return capsuleOf(getRow(id));
      });
    },

    listUsablePaths: (paths: readonly string[]): string[] => listUsablePaths(paths, deps.writing),

    /** Disables automatic updates whatever the status, in the caller's transaction. */
    stopAutoUpdate(id: string): void {
      const { autoUpdate, workspaceId } = getRow(id);
      if (autoUpdate !== true) return;
      set(id, { autoUpdate: false });
      activity.record({ workspaceId, action: 'capsule.auto_update_disabled', targetType: 'capsule', targetId: id });
    },

    /** Disables a Capsule, or enables it again with its former status; repeating it changes nothing. */
    setDisabled(id: string, disabled: boolean, actorId: string): Capsule {
      return db.write(() => {
        const row = getRow(id);
        if (disabled === (row.status === 'disabled')) return capsuleOf(row);
        const { event, set } = switchOf(row, { disabled, isBusy: runs.findActive(id) !== undefined });
        const capsule = move(id, event, set);
        activity.record({
          workspaceId: row.workspaceId,
          actorId,
          action: 'capsule.status_changed',
          targetType: 'capsule',
          targetId: id,
          metadata: { from: row.status, to: capsule.status },
        });
        return capsule;
      });
    },

    /** Commits the result of an apply. Throws `conflict` when epoch or generation differ from those the Run was created under. */
    commitApply(
      id: string,
      event: 'apply' | 'fail' | 'destroy',
      commit: { fence: { epoch: number; generation: number }; change: CommitChange },
    ): Capsule {
      const row = getRow(id);
      failpoint('capsule.commit');
      const { epoch, generation } = commit.fence;
      if (row.executionAuthorityEpoch !== epoch || row.currentStateGeneration !== generation) {
        throw new AppError(
          'conflict',
          'The Capsule has changed since this Run was created, so the result of the Run cannot become current.',
        );
      }
      return move(id, event, commit.change);
    },

    listCapsules(workspaceId: string, { limit, cursor, ...query }: CapsuleQuery) {
      const filter = { workspaceId, ...query, includeDestroyed: query.includeDestroyed ?? true };
      const { rows, next: nextPage } = readTimedPage(
        cursors,
        { limit, cursor },
        {
          binding: `capsules:${jsonDigest(filter)}`,
          order: query.order,
          fetch: (position) => store.listCapsules({ ...filter, ...position }),
        },
      );
      return { capsules: rows.map(capsuleOf), ...nextPage };
    },
  };
}
