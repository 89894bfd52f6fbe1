import type { ActivityService } from '#server/domains/activity/index';
import type { PreemptCheck, RunsService } from '#server/domains/runs/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { jsonDigest } from '#server/kernel/digest';
import type { Outbox } from '#server/kernel/outbox';
import { type Cursors, type ListQueryOf, readTimedPage } from '#server/kernel/page';
import type { capsulesApi } from '#shared/capsules/api';
import type { Capsule } from '#shared/capsules/contract';
import { createCapsuleCreation } from './creation.ts';
import { createCapsuleEdits, type RequireAllowedPool } from './edits.ts';
import { createFavorites } from './favorites.ts';
import { createCapsuleHolds } from './holds.ts';
import { createCapsuleMoves } from './moves.ts';
import { type CapsuleRecordPorts, createCapsuleRecords } from './record.ts';
import { createFreeSlug } from './slugs.ts';
import { type CapsuleRow, createCapsulesStore } from './store.ts';
import { listUsablePaths, type WritablePathsPorts } from './writable-paths.ts';

export type CapsulesService = ReturnType<typeof createCapsulesService>;
export type { CapsuleRow };

type Deps = {
  db: Db;
  clock: Clock;
  cursors: Cursors;
  outbox: Outbox;
  runs: RunsService;
  preemptCheck: PreemptCheck;
  activity: Pick<ActivityService, 'record'>;
  workspaces: Pick<WorkspacesService, 'getHandle' | 'findByHandle'>;
  configDigest: CapsuleRecordPorts['configDigest'];
  recoveryDigest: CapsuleRecordPorts['recoveryDigest'];
  findDrift: CapsuleRecordPorts['findDrift'];
  writing: WritablePathsPorts;
  requireAllowedPool: RequireAllowedPool;
};

/** The Capsules of a Workspace. */
export function createCapsulesService(deps: Deps) {
  const store = createCapsulesStore(deps.db);
  const freeSlug = createFreeSlug({ store, workspaces: deps.workspaces });
  const records = createCapsuleRecords(deps);
  const moves = createCapsuleMoves({ ...deps, store, records });
  const { getRow, move, rebind, advanceAuthority, commitApply, commitState, commitRestore, markUnsafe, onMoving } =
    moves;
  const { capsuleOf, guardOf } = records;

  return {
    getRow,
    move,
    rebind,
    /** Advances the authority generation of every Capsule that is not destroyed. Returns the number of superseded plans. */
    advanceEveryAuthority: (): number => store.listLiveIds().reduce((sum, id) => sum + advanceAuthority(id), 0),
    commitApply,
    commitState,
    commitRestore,
    markUnsafe,
    onMoving,
    ...createCapsuleCreation({ ...deps, store, records, freeSlug }),
    ...createCapsuleEdits({ ...deps, records, moves }),
    ...createCapsuleHolds({ ...deps, store, records, moves }),
    ...createFavorites({ ...deps, store, records, getRow }),
    /** Returns the slug that the next Capsule of this name gets. */
    freeSlug,
    hasSource: store.hasSource,
    listOfSource: store.listOfSource,
    /** The lanes that Capsules of a Source run from, without destroyed ones, with repeats. */
    listAdoptedLanes: (sourceId: string): { ref: string; path: string }[] =>
      store.listOfSource(sourceId).flatMap(({ adoptedSourceRevision }) => adoptedSourceRevision ?? []),
    findWorkspace: store.findWorkspace,
    findName: (id: string): string | undefined => store.findCapsule(id)?.name,
    getCapsule: (id: string): Capsule => capsuleOf(getRow(id)),

    listUsablePaths: (paths: readonly string[]): string[] => listUsablePaths(paths, deps.writing),

    getGuarded(id: string) {
      const row = getRow(id);
      const installConfigReAdoption = { authorityGuard: guardOf(row) };
      return { capsule: { ...capsuleOf(row), installConfigReAdoption }, installConfigReAdoption };
    },

    listCapsules(workspaceId: string, query: ListQueryOf<typeof capsulesApi.listCapsules>) {
      const { includeDestroyed = true, q, label, sourceId, order, ...page } = query;
      const filter = { workspaceId, includeDestroyed, q, label, sourceId };
      const { rows, next: nextPage } = readTimedPage(deps.cursors, page, {
        binding: `capsules:${jsonDigest({ ...filter, order })}`,
        order,
        fetch: (position) => store.listCapsules({ ...filter, ...position }),
      });
      return { capsules: rows.map(capsuleOf), ...nextPage };
    },
  };
}
