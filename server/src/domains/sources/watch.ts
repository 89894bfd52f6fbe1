import type { SyncTrigger } from '#shared/runs/contract';
import type { SourceRow, SourcesStore } from './store.ts';
import type { createSyncRequests, Lane } from './sync-requests.ts';

type Deps = {
  store: Pick<SourcesStore, 'findSource'>;
  requestLanes: ReturnType<typeof createSyncRequests>['requestLanes'];
  isLive: (workspaceId: string) => boolean;
  /** Returns the lanes that Capsules of a Source use; Capsules belong to a higher layer. */
  listAdoptedLanes: (sourceId: string) => readonly Lane[];
};

export type SourceWatch = ReturnType<typeof createSourceWatch>;

/** Queues the syncs of schedule and webhook: for every lane of a Source that is followed. */
export function createSourceWatch({ store, requestLanes, isLive, listAdoptedLanes }: Deps) {
  /** Returns the default lane first, then each adopted lane, without duplicates. */
  function lanesOf(row: SourceRow): Lane[] {
    const lanes = [{ ref: row.defaultRef, path: row.defaultPath }, ...listAdoptedLanes(row.id)];
    return [...new Map(lanes.map(({ ref, path }) => [JSON.stringify([ref, path]), { ref, path }])).values()];
  }

  return {
    /**
     * Queues missing syncs and returns the Runs; none for a Source that is not watched. Runs in the caller's
     * transaction.
     */
    syncLanes(sourceId: string, trigger: SyncTrigger): string[] {
      const row = store.findSource(sourceId);
      if (!row?.autoSync || row.status === 'disabled' || !isLive(row.workspaceId)) return [];
      return requestLanes(row, lanesOf(row), trigger);
    },
  };
}
