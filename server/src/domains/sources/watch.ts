import type { SyncTrigger } from '#shared/runs/contract';
import type { SourceRow, SourcesStore } from './store.ts';
import type { createSyncRequests, Lane } from './sync-requests.ts';

type Deps = {
  store: Pick<SourcesStore, 'findSource'>;
  requests: Pick<ReturnType<typeof createSyncRequests>, 'requestLanes'>;
  isLive: (workspaceId: string) => boolean;
  /** Lanes that Capsules of a Source run from; that room stands higher. */
  listAdoptedLanes: (sourceId: string) => readonly Lane[];
};

export type SourceWatch = ReturnType<typeof createSourceWatch>;

/** What schedule and webhook have in common: every lane of a Source that somebody follows (API 2.7). */
export function createSourceWatch({ store, requests, isLive, listAdoptedLanes }: Deps) {
  /** The default address first, then each adopted lane, none of them twice. */
  function lanesOf(row: SourceRow): Lane[] {
    const lanes = [{ ref: row.defaultRef, path: row.defaultPath }, ...listAdoptedLanes(row.id)];
    return [...new Map(lanes.map(({ ref, path }) => [JSON.stringify([ref, path]), { ref, path }])).values()];
  }

  return {
    /** Queues what is missing and answers the Runs; none for a Source that nobody wants watched. In the caller's transaction. */
    syncLanes(sourceId: string, trigger: SyncTrigger): string[] {
      const row = store.findSource(sourceId);
      if (!row?.autoSync || row.status === 'disabled' || !isLive(row.workspaceId)) return [];
      return requests.requestLanes(row, lanesOf(row), trigger);
    },
  };
}
