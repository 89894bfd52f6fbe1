import { newToken } from '#server/domains/identity/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { newId } from '#server/kernel/ids';
import type { Source } from '#shared/sources/contract';
import { tokenPrefixes } from '#shared/vendor';
import { type AddressRules, defaultLaneFields } from './address-rules.ts';
import { sourceOf } from './records.ts';
import type { SourceRows } from './source-rows.ts';
import type { SourceRow, SourcesStore } from './store.ts';
import type { Lane } from './sync-requests.ts';

export type NewSource = {
  workspaceId: string;
  name: string;
  url: string;
  defaultRef?: string | undefined;
  defaultPath?: string | undefined;
  authConnectionId?: string | undefined;
  autoSync?: boolean | undefined;
};

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
    workspaces.requireLive(input.workspaceId);
    const url = rules.requireReadable(input.url, { actorId, workspaceId: input.workspaceId }, '/url');
    const lane = rules.requireLane(
      { ref: input.defaultRef ?? 'HEAD', path: input.defaultPath ?? '.' },
      defaultLaneFields,
    );
    rules.requireAuth(input.authConnectionId, input.workspaceId, '/authConnectionId');
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
      hookSecret: rows.sealHook({ id, workspaceId: input.workspaceId }, hookSecret),
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
  function findOrCreate(input: NewSource & { lane: Lane }, actorId: string): string {
    const url = rules.requireReadable(input.url, { actorId, workspaceId: input.workspaceId }, '/source/url');
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

  return { create, findOrCreate };
}
