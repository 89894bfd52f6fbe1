import type { SourcesService } from '#server/domains/sources/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import { failedPrecondition, invalidArgument, notFound } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import { required } from '#server/kernel/required';
import type { copiesApi } from '#shared/copies/api';
import type { CopyRevisionStatus } from '#shared/copies/machine';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import { isRelativePath } from '#shared/relative-path';
import { copyIdOf } from '#shared/sources/copy-address';
import type { MovePorts, RevisionMoves } from './moves.ts';
import type { CopyRow, NewCopy, RevisionRow } from './store.ts';

export type RequestPorts = MovePorts & {
  moves: RevisionMoves;
  sources: Pick<
    SourcesService,
    'getSource' | 'getSnapshotRow' | 'findLaneHead' | 'hasCapsule' | 'isSyncing' | 'removeWithHistory'
  >;
  workspaces: Pick<WorkspacesService, 'requireLive'>;
  /** Starts the work on new and approved revisions. */
  wake: () => void;
  /** Ends the work on a revision and removes what it wrote. */
  discard: (revisionId: string) => void;
  /** Removes the repository of a deleted copy. */
  removeRepository: (copyId: string) => void;
};
type NewCopyBody = BodyOf<typeof copiesApi.createCopy>;
export type Requested = { copy: CopyRow; revision: RevisionRow; isNew: boolean };

export type CopyRequests = ReturnType<typeof createCopyRequests>;

/** The writes of people: each one is a transaction with its audit record and event. */
export function createCopyRequests(ports: RequestPorts) {
  return { ...createCopyCreation(ports), ...createDecisions(ports), ...createCopyDeletion(ports) };
}

/** Creates copies, and the revisions that update them. */
function createCopyCreation(ports: RequestPorts) {
  const { db, clock, store, activity, moves, workspaces, wake } = ports;

  function insertRevision(
    copy: CopyRow,
    { upstreamCommit, actorId }: { upstreamCommit: string | null; actorId: string },
  ) {
    const now = clock.now();
    const id = newId('copyRevision');
    const { id: copyId, workspaceId } = copy;
    store.insertRevision({
      id,
      copyId,
      workspaceId,
      status: 'preparing',
      upstreamCommit,
      commit: null,
      review: null,
      error: null,
      approvedBy: null,
      approvedAt: null,
      createdBy: actorId,
      createdAt: now,
      updatedAt: now,
    });
    store.updateCopy(copyId, { updatedAt: now });
    const target = { workspaceId, actorId, targetType: 'copy', targetId: copyId };
    activity.record({ ...target, action: 'copy.revision_requested', metadata: { revisionId: id } });
    moves.notify({ copyId, workspaceId }, 'preparing');
    db.afterCommit(wake);
    return required(store.findRevision(id), 'new revision');
  }

  const read = (copyId: string, revision: RevisionRow, isNew: boolean): Requested => ({
    copy: required(store.findCopy(copyId), 'copy'),
    revision,
    isNew,
  });

  return {
    /** Creates a copy with its first revision, or finds the copy of the same modules. */
    create(workspaceId: string, body: NewCopyBody, actorId: string): Requested {
      return db.write(() => {
        workspaces.requireLive(workspaceId);
        const { upstreamCommit, ...upstream } = readUpstream(ports, workspaceId, body);
        const existing = store.findSame(upstream);
        const newest = existing && store.findNewestRevision(existing.id);
        if (existing && newest) {
          const usable = findUsable(ports, existing, newest);
          if (usable) return read(existing.id, usable, false);
        }
        const copy = existing ?? insertCopy(ports, upstream, actorId);
        store.updateCopy(copy.id, { authConnectionId: upstream.authConnectionId });
        return read(copy.id, insertRevision(copy, { upstreamCommit, actorId }), true);
      });
    },

    /** Creates a revision of the newest upstream commit, or finds the open one. */
    createRevision(copyId: string, actorId: string): Requested {
      return db.write(() => {
        const copy = store.findCopy(copyId);
        if (!copy) throw notFound('copy');
        workspaces.requireLive(copy.workspaceId);
        const newest = store.findNewestRevision(copyId);
        if (newest && isOpen(newest.status)) return read(copyId, newest, false);
        return read(copyId, insertRevision(copy, { upstreamCommit: null, actorId }), true);
      });
    },
  };
}

const isOpen = (status: CopyRevisionStatus): boolean =>
  status === 'preparing' || status === 'waiting_approval' || status === 'making';

/** Returns the revision that a repeated request finds: the open one, or else the current one. */
function findUsable({ store }: Pick<RequestPorts, 'store'>, copy: CopyRow, newest: RevisionRow) {
  if (isOpen(newest.status)) return newest;
  return copy.currentRevisionId === null ? undefined : store.findRevision(copy.currentRevisionId);
}

type Upstream = Omit<NewCopy, 'id' | 'sourceId' | 'currentRevisionId' | 'createdBy' | 'createdAt' | 'updatedAt'>;

/** Returns the repository, commit and module of a request. */
function readUpstream(
  { sources }: RequestPorts,
  workspaceId: string,
  { sourceId, sourceSnapshotId, modulePath, name, ...rest }: NewCopyBody,
): Upstream & { upstreamCommit: string } {
  nothingLeft(rest);
  const source = sources.getSource(sourceId);
  if (source.workspaceId !== workspaceId) throw notFound('Source');
  if (copyIdOf(source.url) !== undefined)
    throw failedPrecondition(
      'copy_of_copy',
      'This Source is an installable copy already. Install from it, or update the copy.',
    );
  if (modulePath !== undefined && !isRelativePath(modulePath))
    throw invalidArgument('path_invalid', 'The module path must be "." or a relative folder, without "..".', {
      field: '/modulePath',
    });
  const { defaultRef, defaultPath } = source;
  const snapshot =
    sourceSnapshotId === undefined
      ? sources.findLaneHead(sourceId, { ref: defaultRef, path: defaultPath })
      : sources.getSnapshotRow(sourceId, sourceSnapshotId);
  if (!snapshot) throw failedPrecondition('source_sync_required', 'This Source has no snapshot yet. Sync it first.');
  return {
    workspaceId,
    name: name ?? source.name,
    upstreamUrl: source.url,
    upstreamRef: snapshot.ref,
    upstreamPath: snapshot.path,
    authConnectionId: source.authConnectionId ?? null,
    modulePath: modulePath ?? null,
    upstreamCommit: snapshot.resolvedCommit,
  };
}

function insertCopy({ clock, store, activity }: RequestPorts, upstream: Upstream, actorId: string): CopyRow {
  const id = newId('copy');
  const now = clock.now();
  const { workspaceId } = upstream;
  const stamps = { createdBy: actorId, createdAt: now, updatedAt: now };
  store.insertCopy({ ...upstream, id, sourceId: null, currentRevisionId: null, ...stamps });
  activity.record({ workspaceId, actorId, action: 'copy.created', targetType: 'copy', targetId: id });
  return required(store.findCopy(id), 'new copy');
}

/** Approves and cancels revisions. A repetition finds the decision. */
function createDecisions({ db, clock, store, moves, wake, discard }: RequestPorts) {
  const getRevision = (copyId: string, id: string): RevisionRow => {
    const row = store.findRevision(id);
    if (row?.copyId !== copyId) throw notFound('revision of this copy');
    return row;
  };
  const ended = () =>
    failedPrecondition('copy_revision_ended', 'This revision has ended. Prepare the copy again for a new one.');

  return {
    getRevision,

    approve(copyId: string, id: string, { reviewDigest, actorId }: { reviewDigest: string; actorId: string }) {
      return db.write(() => {
        const row = getRevision(copyId, id);
        if (row.status === 'preparing')
          throw failedPrecondition('copy_not_ready', 'The packages are still being fetched. Wait for the review.');
        if (row.status === 'failed' || row.status === 'cancelled') throw ended();
        if (row.review?.digest !== reviewDigest)
          throw failedPrecondition(
            'copy_review_changed',
            'The review is another one than the one that you approve. Read it again and decide.',
          );
        const approval = { approvedBy: actorId, approvedAt: clock.now() };
        const metadata = { commit: row.commit, reviewDigest };
        if (row.status === 'waiting_approval')
          moves.move(id, 'approve', { set: approval, action: 'copy.revision_approved', actorId, metadata });
        db.afterCommit(wake);
        return getRevision(copyId, id);
      });
    },

    cancel(copyId: string, id: string, actorId: string): RevisionRow {
      return db.write(() => {
        const row = getRevision(copyId, id);
        if (row.status === 'cancelled') return row;
        if (!moves.move(id, 'cancel', { action: 'copy.revision_cancelled', actorId })) throw ended();
        db.afterCommit(() => discard(id));
        return getRevision(copyId, id);
      });
    },

    /** Cancels the revisions of a Workspace that no one approved, in the transaction that archives it. */
    cancelUnapproved(workspaceId: string): void {
      for (const { id } of store.listUnapproved(workspaceId)) {
        moves.move(id, 'cancel', { action: 'copy.revision_cancelled' });
        db.afterCommit(() => discard(id));
      }
    },
  };
}

function createCopyDeletion(ports: RequestPorts) {
  const { db, store, activity, moves, sources } = ports;
  return {
    /** Throws 409 `copy_in_use` for a copy that a Capsule was installed from, and `copy_revision_open` while one is made. */
    delete(copyId: string, actorId: string): void {
      db.write(() => {
        const copy = store.findCopy(copyId);
        if (!copy) throw notFound('copy');
        const { workspaceId, sourceId } = copy;
        if (sourceId !== null && sources.hasCapsule(sourceId))
          throw failedPrecondition(
            'copy_in_use',
            'A Capsule was installed from this copy, so its history has to stay. Disable its Source instead.',
          );
        const open = store.findNewestRevision(copyId);
        if (open?.status === 'making' || (sourceId !== null && sources.isSyncing(sourceId)))
          throw failedPrecondition(
            'copy_revision_open',
            'The copy is being made or synced at this moment. Try again when that has ended.',
          );
        if (sourceId !== null) sources.removeWithHistory(sourceId, actorId);
        store.deleteCopy(copyId);
        activity.record({ workspaceId, actorId, action: 'copy.deleted', targetType: 'copy', targetId: copyId });
        moves.notify({ copyId, workspaceId });
        db.afterCommit(() => {
          if (open && isOpen(open.status)) ports.discard(open.id);
          ports.removeRepository(copyId);
        });
      });
    },
  };
}
