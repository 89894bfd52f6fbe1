import type { ActivityService } from '#server/domains/activity/index';
import type { RunsService } from '#server/domains/runs/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import type { Outbox } from '#server/kernel/outbox';
import type { Cursors } from '#server/kernel/page';
import type { Source } from '#shared/sources/contract';
import { type AddressRulePorts, createAddressRules } from './address-rules.ts';
import { createSourceEdits } from './edits.ts';
import { createSourceLists } from './lists.ts';
import { sourceOf } from './records.ts';
import { createSourceRegistration } from './registration.ts';
import { createSourceRows } from './source-rows.ts';
import type { SourcesStore } from './store.ts';
import { createSyncRequests, type Lane } from './sync-requests.ts';
import { createSourceWatch } from './watch.ts';

export type SourcesService = ReturnType<typeof createSourcesService>;

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

/** The Sources of a Workspace, their snapshots and the requests of their syncs. */
export function createSourcesService(deps: Deps) {
  const { store, workspaces } = deps;
  const isKnown = (workspaceId: string, url: string): boolean => store.listByUrl(workspaceId, url).length > 0;
  const rules = createAddressRules({ ...deps, isKnown });
  const rows = createSourceRows(deps);
  const parts = { ...deps, rows, rules };
  const { requestLanes, ...requests } = createSyncRequests(deps);
  const { requireUrl, requireReadable, requireAuth, requireLane } = rules;

  return {
    ...createSourceRegistration(parts),
    ...createSourceEdits(parts),
    ...createSourceLists(parts),
    ...requests,
    watch: createSourceWatch({ ...deps, requestLanes, isLive: workspaces.isLive }),
    requireUrl,
    requireReadable,
    requireAuth,
    requireLane,
    canonicalUrl: rules.canonical,
    hasCapsule: deps.hasCapsule,
    isSyncing: (id: string): boolean => deps.runs.store.findActiveSync(id).length > 0,
    findAuthConnection: (id: string): string | undefined => store.findSource(id)?.authConnectionId ?? undefined,
    findWorkspace: store.findWorkspace,
    findSnapshot: store.findSnapshot,
    findLaneHead: store.findLaneHead,

    getSnapshotRow: rows.getSnapshotRow,
    getSource: (id: string): Source => sourceOf(rows.getRow(id)),
  };
}
