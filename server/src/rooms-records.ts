import { existsSync } from 'node:fs';
import { createBindingsService, createBindingsStore, createGrants } from './bindings/index.ts';
import { createAdoption } from './configs/index.ts';
import { createDeploysStore, runDirOf } from './deploys/index.ts';
import { foldersOf, type Ground } from './ground.ts';
import { createKeysService } from './keys/index.ts';
import type { BaseRooms } from './rooms-base.ts';
import { buildCapsules } from './rooms-capsules.ts';
import { buildConnections } from './rooms-connections.ts';
import { sealedColumns } from './sealed-columns.ts';
import {
  createInspection,
  createSourceHooks,
  createSourcesService,
  createSourcesStore,
  createStableVersions,
  type SourcesService,
  type SourcesStore,
} from './sources/index.ts';

export type RecordRooms = ReturnType<typeof buildRecords>;

/** What is kept: Sources, Connections, Capsules with all that they own, and the keys of it. */
export function buildRecords(ground: Ground, base: BaseRooms) {
  const { settings, db, clock, log, vault, toolbox } = ground;
  const { shared, activity, workspaces, runs } = base;
  const capsuleRooms = buildCapsules(ground, base);
  const folders = foldersOf(settings);
  const deploysStore = createDeploysStore(db);
  const keys = createKeysService({
    ...shared,
    log,
    vault,
    activity,
    store: ground.keysStore,
    keeper: ground.keeper,
    dataDir: settings.dataDir,
    columns: sealedColumns,
    listUses: () =>
      deploysStore
        .listKeyUses(clock.now())
        .filter(({ runId, isEnded }) => !isEnded || existsSync(runDirOf(folders, runId))),
  });
  const sourcesStore = createSourcesStore(db);
  const { capsules } = capsuleRooms;
  const gitRules = { allowLoopback: settings.allowLoopbackGit, allowLocal: settings.allowLocalGit };
  const { connections, oauth } = buildConnections(ground, base, {
    gitRules,
    findUrl: sourcesStore.findUrlOfConnection,
    findDependents: (id) => ({ queuedRuns: deploysStore.listWaitingFor(id), capsules: bindings.listCapsulesOf(id) }),
    erase: keys.erase,
  });
  const sources = createSourcesService({
    ...shared,
    store: sourcesStore,
    vault,
    runs,
    activity,
    workspaces,
    gitRules,
    hasCapsule: capsules.hasSource,
    listAdoptedLanes: capsules.listAdoptedLanes,
    requireGitConnection: connections.requireGit,
  });
  const hooks = createSourceHooks({ vault, store: sourcesStore, watch: sources.watch });
  const stableVersions = createStableVersions({ git: ground.git, sources });
  const bindingsStore = createBindingsStore(db);
  const bindings = createBindingsService({ ...shared, store: bindingsStore, connections, capsules, workspaces });
  const grants = createGrants({ db, store: bindingsStore, vault, connections, erase: keys.erase });
  runs.onLeave(({ id }) => grants.forget(id));
  const findTool = async () =>
    (await toolbox.current())?.tool ?? { name: 'tofu' as const, version: ground.pinnedToolVersion };
  const inspection = createInspection({
    ...shared,
    store: sourcesStore,
    scan: ground.scan,
    runs,
    sources,
    activity,
    archivesDir: folders.archives,
    findTool,
    findUnbound: bindings.findUnbound,
  });
  const adoption = adoptionOf(ground, { ...capsuleRooms, workspaces, sources, store: sourcesStore });
  return {
    keys,
    connections,
    oauth,
    ...capsuleRooms,
    sources,
    hooks,
    stableVersions,
    inspection,
    adoption,
    findTool,
    bindings,
    grants,
    stores: { deploys: deploysStore, sources: sourcesStore },
  };
}

type Adopting = Pick<Parameters<typeof createAdoption>[0], 'configs' | 'workspaces'> & {
  sources: Pick<SourcesService, 'findSnapshot'>;
  store: Pick<SourcesStore, 'findManifestDocument'>;
};

/** Manifests become configurations; what they hold is read through here and nowhere else. */
const adoptionOf = ({ settings }: Ground, { sources, store, ...rooms }: Adopting) =>
  createAdoption({
    ...rooms,
    findEvidence: (snapshotId) => {
      const snapshot = sources.findSnapshot(snapshotId);
      return snapshot && { ...snapshot, document: store.findManifestDocument(snapshotId) };
    },
    baseDomain: settings.publicBaseDomain,
  });
