import type { ActivityService } from '#server/domains/activity/index';
import { newToken } from '#server/domains/identity/index';
import type { RunsService } from '#server/domains/runs/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { jsonDigest } from '#server/kernel/digest';
import { failedPrecondition, invalidArgument, notFound } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import type { Outbox } from '#server/kernel/outbox';
import { beforeSeq, type Cursors, type PageQuery, readPage, readTimedPage } from '#server/kernel/page';
import type { ActivityAction } from '#shared/activity/actions';
import type { Source, SourceSnapshot, SourceStatus, SourceSyncRun } from '#shared/sources/contract';
import { tokenPrefixes } from '#shared/vendor';
import { type AddressRulePorts, createAddressRules } from './address-rules.ts';
import { snapshotOf, sourceOf, syncRunOf } from './records.ts';
import type { SnapshotRow, SourceRow, SourcesStore } from './store.ts';
import { createSyncRequests, type Lane } from './sync-requests.ts';
import { createSourceWatch } from './watch.ts';

export type SourcesService = ReturnType<typeof createSourcesService>;
export type NewSource = {
  workspaceId: string;
  name: string;
  url: string;
  defaultRef?: string | undefined;
  defaultPath?: string | undefined;
  authConnectionId?: string | undefined;
  autoSync?: boolean | undefined;
};
export type SourcePatch = {
  name?: string | undefined;
  defaultRef?: string | undefined;
  defaultPath?: string | undefined;
  authConnectionId?: string | null | undefined;
  status?: 'active' | 'disabled' | undefined;
  autoSync?: boolean | undefined;
  rotateHookSecret?: true | undefined;
};
export type SourceQuery = PageQuery & {
  /** The complete Git address, in any spelling. */
  url?: string | undefined;
  /** Part of the name, the address or the id. */
  q?: string | undefined;
  order?: 'updated_desc' | undefined;
};

type Deps = Omit<AddressRulePorts, 'isKnown'> & {
  db: Db;
  clock: Clock;
  cursors: Cursors;
  outbox: Outbox;
  store: SourcesStore;
  vault: Vault;
  runs: RunsService;
  activity: Pick<ActivityService, 'record'>;
  workspaces: Pick<WorkspacesService, 'requireLive' | 'isLive'>;
  /** Reports whether a Capsule uses the Source, which then cannot be deleted. */
  hasCapsule: (sourceId: string) => boolean;
  /** Returns the lanes that Capsules of a Source use. */
  listAdoptedLanes: (sourceId: string) => readonly Lane[];
};

export function createSourcesService({
  db,
  clock,
  cursors,
  outbox,
  store,
  vault,
  runs,
  activity,
  workspaces,
  gitRules,
  mayReadDisk,
  hasCapsule,
  listAdoptedLanes,
  requireGitConnection,
}: Deps) {
  const { requireUrl, requireReadable, requireAuth, requireLane, canonical } = createAddressRules({
    gitRules,
    mayReadDisk,
    isKnown: (workspaceId, url) => store.listByUrl(workspaceId, url).length > 0,
    requireGitConnection,
  });
  const requests = createSyncRequests({ db, clock, store, runs, workspaces, activity });
  const watch = createSourceWatch({ store, requests, isLive: workspaces.isLive, listAdoptedLanes });
  const fields = { ref: '/defaultRef', path: '/defaultPath' };

  function getRow(id: string): SourceRow {
    const row = store.findSource(id);
    if (!row) throw notFound('Source');
    return row;
  }
  const notify = ({ id, workspaceId }: SourceRow, status?: SourceStatus) =>
    outbox.push({ workspaceId, kind: 'source', recordId: id, ...(status && { status }) });
  const recordActivity = (row: SourceRow, actorId: string, action: ActivityAction) =>
    activity.record({ workspaceId: row.workspaceId, actorId, action, targetType: 'source', targetId: row.id });
  const sealHook = (row: { id: string; workspaceId: string }, secret: string) =>
    vault.seal(
      { table: 'sources', row: row.id, column: 'hook_secret', workspaceId: row.workspaceId },
      Buffer.from(secret),
    );

  function create(input: NewSource, actorId: string): { source: Source; hookSecret: string } {
    workspaces.requireLive(input.workspaceId);
    const url = requireReadable(input.url, { actorId, workspaceId: input.workspaceId }, '/url');
    const lane = requireLane({ ref: input.defaultRef ?? 'HEAD', path: input.defaultPath ?? '.' }, fields);
    requireAuth(input.authConnectionId, input.workspaceId, '/authConnectionId');
    const now = clock.now();
    const id = newId('source');
    const hookSecret = newToken(tokenPrefixes.hook);
    const row: SourceRow = {
      id,
      workspaceId: input.workspaceId,
      name: input.name,
      url,
      defaultRef: lane.ref,
      defaultPath: lane.path,
      authConnectionId: input.authConnectionId ?? null,
      status: 'active',
      autoSync: input.autoSync ?? false,
      hookSecret: sealHook({ id, workspaceId: input.workspaceId }, hookSecret),
      polledAt: null,
      createdAt: now,
      updatedAt: now,
    };
    return db.write(() => {
      store.insertSource(row);
      recordActivity(row, actorId, 'source.created');
      notify(row, row.status);
      return { source: sourceOf(row), hookSecret };
    });
  }

  function update(id: string, patch: SourcePatch, actorId: string): { source: Source; hookSecret?: string } {
    const row = getRow(id);
    workspaces.requireLive(row.workspaceId);
    const { rotateHookSecret, ...set } = patch;
    if (Object.values(patch).every((value) => value === undefined))
      throw invalidArgument('empty_patch', 'Name at least one field to change.');
    requireLane({ ref: set.defaultRef ?? row.defaultRef, path: set.defaultPath ?? row.defaultPath }, fields);
    requireAuth(set.authConnectionId, row.workspaceId, '/authConnectionId');
    const hookSecret = rotateHookSecret ? newToken(tokenPrefixes.hook) : undefined;
    const changes = Object.fromEntries(
      Object.entries(set).filter(([, value]) => value !== undefined),
    ) as Partial<SourceRow>;
    return db.write(() => {
      store.updateSource(id, {
        ...changes,
        ...(hookSecret && { hookSecret: sealHook(row, hookSecret) }),
        updatedAt: clock.now(),
      });
      recordActivity(row, actorId, 'source.updated');
      const changed = getRow(id);
      notify(changed, changed.status);
      return { source: sourceOf(changed), ...(hookSecret && { hookSecret }) };
    });
  }

  function getSnapshotRow(sourceId: string, snapshotId: string): SnapshotRow {
    const row = store.findSnapshot(snapshotId);
    if (!row || row.sourceId !== sourceId) throw notFound('SourceSnapshot of this Source');
    return row;
  }

  /**
   * Finds the Source of a repository that is read with the same Connection, or creates one. Prefers one whose default
   * address is the lane, then the oldest active one. An existing Source keeps its default address.
   */
  function findOrCreate(input: NewSource & { lane: Lane }, actorId: string): string {
    const url = requireReadable(input.url, { actorId, workspaceId: input.workspaceId }, '/source/url');
    const matches = store
      .listByUrl(input.workspaceId, url)
      .filter(
        ({ status, authConnectionId }) =>
          status !== 'disabled' && authConnectionId === (input.authConnectionId ?? null),
      );
    const exact = matches.find((row) => row.defaultRef === input.lane.ref && row.defaultPath === input.lane.path);
    const match = exact ?? matches.find(({ status }) => status === 'active');
    if (match) return match.id;
    return create({ ...input, url, defaultRef: input.lane.ref, defaultPath: input.lane.path }, actorId).source.id;
  }

  return {
    watch,
    create,
    update,
    requestSync: requests.requestSync,
    requireUrl,
    requireReadable,
    requireAuth,
    requireLane,
    findAuthConnection: (id: string): string | undefined => store.findSource(id)?.authConnectionId ?? undefined,
    findOrCreate,
    getSnapshotRow,
    getSource: (id: string): Source => sourceOf(getRow(id)),
    findWorkspace: (id: string): string | undefined => store.findSource(id)?.workspaceId,
    findSnapshot: store.findSnapshot,
    findLaneHead: store.findLaneHead,

    remove(id: string, actorId: string): void {
      db.write(() => {
        const row = getRow(id);
        // A running sync is about to create a snapshot.
        if (store.countSnapshots(id) > 0 || hasCapsule(id) || runs.store.findActiveSync(id).length > 0) {
          throw failedPrecondition(
            'source_in_use',
            'This Source has snapshots, Capsules or a running sync, so its history has to stay. Disable it instead.',
          );
        }
        store.deleteSource(id);
        recordActivity(row, actorId, 'source.deleted');
        notify(row);
      });
    },

    getSyncRun(runId: string): SourceSyncRun {
      const run = runs.getRecord(runId);
      const { sourceSnapshotId } = run.facts;
      return syncRunOf(run, sourceSnapshotId === undefined ? undefined : store.findSnapshot(sourceSnapshotId));
    },

    listSources(workspaceId: string, query: SourceQuery): { sources: Source[]; nextCursor?: string } {
      const { limit, cursor, order, q } = query;
      const url = query.url === undefined ? undefined : canonical(query.url);
      const filter = { workspaceId, url, q };
      const { rows, next } = readTimedPage(
        cursors,
        { limit, cursor },
        {
          binding: `sources:${jsonDigest(filter)}`,
          order,
          fetch: (position) => store.listSources({ ...filter, ...position }),
        },
      );
      return { sources: rows.map(sourceOf), ...next };
    },

    listSnapshots(sourceId: string, query: PageQuery): { snapshots: SourceSnapshot[]; nextCursor?: string } {
      const { rows, next } = readPage(cursors, query, {
        binding: `snapshots:${sourceId}`,
        fetch: (after, limit) => store.listSnapshots(sourceId, limit, beforeSeq(after)),
        positionOf: ({ seq }) => [seq],
      });
      const invalid = rows.filter(({ repositoryManifest }) => repositoryManifest.status === 'invalid');
      const problemRows = store.listManifestProblems(invalid.map(({ id }) => id));
      const problems = new Map(problemRows.map((row) => [row.snapshotId, row.problems]));
      const requesters = new Map(runs.store.listAskers(rows.map(({ fetchedByRunId }) => fetchedByRunId)));
      return {
        snapshots: rows.map((row) =>
          snapshotOf(row, { problems: problems.get(row.id), requester: requesters.get(row.fetchedByRunId) }),
        ),
        ...next,
      };
    },
  };
}
