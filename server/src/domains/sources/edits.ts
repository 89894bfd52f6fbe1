import { newToken } from '#server/domains/identity/index';
import type { RunsService } from '#server/domains/runs/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { failedPrecondition, invalidArgument } from '#server/kernel/errors';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import type { sourcesApi } from '#shared/sources/api';
import type { Source } from '#shared/sources/contract';
import { copyIdOf } from '#shared/sources/copy-address';
import { tokenPrefixes } from '#shared/vendor';
import { type AddressRules, defaultLaneFields } from './address-rules.ts';
import { sourceOf } from './records.ts';
import type { SourceRows } from './source-rows.ts';
import type { SourceRow, SourcesStore } from './store.ts';

type SourcePatch = BodyOf<typeof sourcesApi.updateSource>;

type Deps = {
  db: Db;
  clock: Clock;
  store: Pick<SourcesStore, 'updateSource' | 'deleteSource' | 'deleteHistory' | 'countSnapshots'>;
  runs: RunsService;
  rows: SourceRows;
  rules: Pick<AddressRules, 'requireLane' | 'requireAuth'>;
  workspaces: Pick<WorkspacesService, 'requireLive'>;
  /** Reports whether a Capsule uses the Source, which then cannot be deleted. */
  hasCapsule: (sourceId: string) => boolean;
};

/** Changes a Source, or deletes one that has no history. */
export function createSourceEdits({ db, clock, store, runs, rows, rules, workspaces, hasCapsule }: Deps) {
  function update(id: string, patch: SourcePatch, actorId: string): { source: Source; hookSecret?: string } {
    const row = rows.getRow(id);
    workspaces.requireLive(row.workspaceId);
    const { name, defaultRef, defaultPath, authConnectionId, status, autoSync, codeHost, rotateHookSecret, ...rest } =
      patch;
    nothingLeft(rest);
    const set = { name, defaultRef, defaultPath, authConnectionId, status, autoSync, codeHost };
    if (Object.values(patch).every((value) => value === undefined))
      throw invalidArgument('empty_patch', 'Name at least one field to change.');
    rules.requireLane({ ref: defaultRef ?? row.defaultRef, path: defaultPath ?? row.defaultPath }, defaultLaneFields);
    rules.requireAuth(authConnectionId, row.workspaceId, '/authConnectionId');
    const hookSecret = rotateHookSecret ? newToken(tokenPrefixes.hook) : undefined;
    const changes = Object.fromEntries(
      Object.entries(set).filter(([, value]) => value !== undefined),
    ) as Partial<SourceRow>;
    return db.write(() => {
      store.updateSource(id, {
        ...changes,
        ...(hookSecret && { hookSecret: rows.sealHook(row, hookSecret) }),
        updatedAt: clock.now(),
      });
      rows.recordActivity(row, actorId, 'source.updated');
      const changed = rows.getRow(id);
      rows.notify(changed, changed.status);
      return { source: sourceOf(changed), ...(hookSecret && { hookSecret }) };
    });
  }

  function remove(id: string, actorId: string): void {
    db.write(() => {
      const row = rows.getRow(id);
      if (copyIdOf(row.url) !== undefined)
        throw failedPrecondition(
          'source_in_use',
          'This Source reads an installable copy. Delete the copy, which deletes its Source too.',
        );
      // A running sync is about to create a snapshot.
      if (store.countSnapshots(id) > 0 || hasCapsule(id) || runs.store.findActiveSync(id).length > 0) {
        throw failedPrecondition(
          'source_in_use',
          'This Source has snapshots, Capsules or a running sync, so its history has to stay. Disable it instead.',
        );
      }
      store.deleteSource(id);
      rows.recordActivity(row, actorId, 'source.deleted');
      rows.notify(row);
    });
  }

  /**
   * Deletes a Source with its snapshots and what was made of them, in the transaction of the caller. No Capsule may have
   * been installed from it, and no sync may be queued or running.
   */
  function removeWithHistory(id: string, actorId: string): void {
    const row = rows.getRow(id);
    store.deleteHistory(id);
    store.deleteSource(id);
    rows.recordActivity(row, actorId, 'source.deleted');
    rows.notify(row);
  }

  return { update, remove, removeWithHistory };
}
