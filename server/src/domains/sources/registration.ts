import { newToken } from '#server/domains/identity/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { newId } from '#server/kernel/ids';
import { type BodyInputOf, nothingLeft } from '#shared/kernel/endpoint';
import type { sourcesApi } from '#shared/sources/api';
import type { Source } from '#shared/sources/contract';
import { copyUrl } from '#shared/sources/copy-address';
import { tokenPrefixes } from '#shared/vendor';
import { type AddressRules, defaultLaneFields } from './address-rules.ts';
import { sourceOf } from './records.ts';
import type { SourceRows } from './source-rows.ts';
import type { SourceRow, SourcesStore } from './store.ts';
import type { Lane } from './sync-requests.ts';

type NewSource = BodyInputOf<typeof sourcesApi.createSource>;
/** A repository and how it is read; `lane` becomes the default address of a new Source. */
type Repository = Pick<NewSource, 'workspaceId' | 'name' | 'url' | 'authConnectionId'> & { lane: Lane };

type Deps = {
  db: Db;
  clock: Clock;
  store: Pick<SourcesStore, 'insertSource' | 'listByUrl'>;
  rows: SourceRows;
  rules: AddressRules;
  workspaces: Pick<WorkspacesService, 'requireLive'>;
};

/** Registers repositories as Sources. */
export function createSourceRegistration({ db, clock, store, rows, rules, workspaces }: Deps) {
  function create(input: NewSource, actorId: string): { source: Source; hookSecret: string } {
    const { workspaceId, name, defaultRef = 'HEAD', defaultPath = '.', authConnectionId, ...others } = input;
    const { url: address, autoSync = false, ...rest } = others;
    nothingLeft(rest);
    workspaces.requireLive(workspaceId);
    const url = rules.requireNew(address, { actorId, workspaceId }, '/url');
    const lane = rules.requireLane({ ref: defaultRef, path: defaultPath }, defaultLaneFields);
    rules.requireAuth(authConnectionId, workspaceId, '/authConnectionId');
    return insert({ workspaceId, name, url, lane, authConnectionId: authConnectionId ?? null, autoSync }, actorId);
  }

  function insert(
    {
      lane,
      ...repository
    }: Pick<SourceRow, 'workspaceId' | 'name' | 'url' | 'authConnectionId' | 'autoSync'> & {
      lane: Lane;
    },
    actorId: string,
  ): { source: Source; hookSecret: string } {
    const now = clock.now();
    const id = newId('source');
    const hookSecret = newToken(tokenPrefixes.hook);
    const row: SourceRow = {
      ...repository,
      id,
      defaultRef: lane.ref,
      defaultPath: lane.path,
      status: 'active',
      codeHost: 'none',
      hookSecret: rows.sealHook({ id, workspaceId: repository.workspaceId }, hookSecret),
      polledAt: null,
      createdAt: now,
      updatedAt: now,
    };
    return db.write(() => {
      store.insertSource(row);
      rows.recordActivity(row, actorId, 'source.created');
      rows.notify(row, row.status);
      return { source: sourceOf(row), hookSecret };
    });
  }

  /**
   * Finds the Source of a repository that is read with the same Connection, or creates one. Prefers one whose default
   * address is the lane, then the oldest active one. An existing Source keeps its default address.
   */
  function findOrCreate({ lane, ...input }: Repository, actorId: string): string {
    const url = rules.requireReadable(input.url, { actorId, workspaceId: input.workspaceId }, '/source/url');
    const matches = store
      .listByUrl(input.workspaceId, url)
      .filter(
        ({ status, authConnectionId }) =>
          status !== 'disabled' && authConnectionId === (input.authConnectionId ?? null),
      );
    const exact = matches.find((row) => row.defaultRef === lane.ref && row.defaultPath === lane.path);
    const match = exact ?? matches.find(({ status }) => status === 'active');
    if (match) return match.id;
    return create({ ...input, url, defaultRef: lane.ref, defaultPath: lane.path }, actorId).source.id;
  }

  /** Creates the Source that reads a copy, and returns its id. Only the domain of copies calls it. */
  function createOfCopy(
    { workspaceId, name, copyId }: { workspaceId: string; name: string; copyId: string },
    actorId: string,
  ): string {
    const lane = { ref: 'HEAD', path: '.' };
    const repository = { workspaceId, name, url: copyUrl(copyId), lane, authConnectionId: null, autoSync: false };
    return insert(repository, actorId).source.id;
  }

  return { create, findOrCreate, createOfCopy };
}
