import type { SourcesService } from '#server/domains/sources/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { Cursors } from '#server/kernel/page';
import { removeTreeInBreaks } from '#server/kernel/remove-tree';
import type { WorkGate } from '#server/kernel/work-gate';
import { createCopyCoordinator } from './coordinator.ts';
import { createDownload } from './download.ts';
import { copyRepository, listWork, removeWorkFolder } from './folders.ts';
import { createRevisionMoves, type MovePorts } from './moves.ts';
import { createCopyReads } from './reads.ts';
import { createCopyRequests } from './requests.ts';
import { createUpstreamCheck } from './upstream-check.ts';
import { createRevisionFailure, createRevisionWork, type WorkPorts } from './work.ts';
import { createCopyWrites } from './writes.ts';

export type CopiesService = ReturnType<typeof createCopiesService>;

type Deps = MovePorts &
  Omit<WorkPorts, 'moves' | 'sources' | 'workspaces'> & {
    cursors: Cursors;
    workGate: WorkGate;
    sources: WorkPorts['sources'] &
      Pick<SourcesService, 'getSnapshotRow' | 'findLaneHead' | 'hasCapsule' | 'isSyncing' | 'removeWithHistory'>;
    workspaces: Pick<WorkspacesService, 'isLive' | 'requireLive' | 'onArchive'>;
  };

/** Installable copies: their records, the work on their revisions, and their repositories. */
export function createCopiesService(deps: Deps) {
  const { store, folders } = deps;
  const moves = createRevisionMoves(deps);
  const parts = { ...deps, moves };
  const coordinator = createCopyCoordinator({
    ...deps,
    work: createRevisionWork(parts),
    fail: createRevisionFailure(parts),
    onProgress: (head) => deps.db.write(() => moves.notify(head, 'preparing')),
    removeLeftovers: async () => {
      for (const id of await listWork(folders)) if (!store.isOpen(id)) await removeWorkFolder(folders, id);
    },
    removeWork: (id) => removeWorkFolder(folders, id),
  });
  const requests = createCopyRequests({
    ...parts,
    wake: coordinator.wake,
    discard: coordinator.discard,
    removeRepository: (id) => coordinator.track(() => removeTreeInBreaks(copyRepository(folders, id), () => false)),
  });
  deps.workspaces.onArchive(requests.cancelUnapproved);
  const { findProgress } = coordinator;
  return {
    coordinator,
    download: createDownload({ store, folders }),
    findWorkspace: store.findWorkspace,
    ...createCopyReads({ ...deps, requests, findProgress }),
    ...createCopyWrites({ ...deps, requests, findProgress }),
    checkUpstream: createUpstreamCheck(deps),
  };
}
