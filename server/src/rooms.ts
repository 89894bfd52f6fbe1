import { existsSync } from 'node:fs';
import path from 'node:path';
import type { GitUrlRules } from '#shared/sources/git-address';
import { createActivityService } from './activity/index.ts';
import { archivePath } from './archive/index.ts';
import { createBindingsService, createBindingsStore, createGrants } from './bindings/index.ts';
import { createCapsulesService } from './capsules/index.ts';
import { careFoldersOf, createCareStore, createCaretaker, createSweep } from './care/index.ts';
import { createConfigsService } from './configs/index.ts';
import {
  createConnectionsService,
  createConnectionsStore,
  createGitTest,
  createMaterialCheck,
  createOauth,
  createOauthHelpers,
  createRecipeShelf,
} from './connections/index.ts';
import {
  createConfigurationPlans,
  createCoordinatorsService,
  createInstallChecks,
  createInstallSteps,
} from './coordinators/index.ts';
import { createDependenciesService, createDependenciesStore } from './dependencies/index.ts';
import {
  createApplyFinish,
  createBoundPlans,
  createDeployJob,
  createDeploysService,
  createDeploysStore,
  createJobSpec,
  createPlanFinish,
  type Folders,
  runDirOf,
  type Toolbox,
} from './deploys/index.ts';
import type { Git } from './git/index.ts';
import { createIdentityService } from './identity/index.ts';
import type { Clock } from './kernel/clock.ts';
import type { Db } from './kernel/db.ts';
import { freeBytes } from './kernel/disk.ts';
import { entryFile } from './kernel/entry.ts';
import type { Log } from './kernel/log.ts';
import { createOutbox, everyWorkspace } from './kernel/outbox.ts';
import { createCursors } from './kernel/page.ts';
import type { Settings } from './kernel/settings.ts';
import { createKeysService, type Keeper, type KeysStore } from './keys/index.ts';
import { findBubblewrap, probeArgv, type Runner, runTool } from './runner/index.ts';
import { createCancel, createExpiry, createFeedReader, createRunQueue, createRunsService } from './runs/index.ts';
import type { Scan } from './scan/index.ts';
import { sealedColumns } from './sealed-columns.ts';
import { createSharesService, createSharesStore } from './shares/index.ts';
import { createInspection, createSourcesService, createSourcesStore, createSyncJob } from './sources/index.ts';
import { createStatesService } from './states/index.ts';
import type { KeyRing } from './vault/index.ts';
import { createWorkspaceEvents, createWorkspacesService } from './workspaces/index.ts';

/** What the rooms stand on. */
export type Ground = {
  settings: Settings;
  db: Db;
  clock: Clock;
  log: Log;
  vault: KeyRing;
  /** What opens the vault and changes its key. */
  keeper: Keeper;
  keysStore: KeysStore;
  /** Node, where children that need it run. */
  nodePath: string;
  git: Git;
  scan: Scan;
  runner: Runner;
  toolbox: Toolbox;
  /** Version of the tool that modules are scanned for while none is installed. */
  pinnedToolVersion: string;
};
export type Rooms = ReturnType<typeof buildRooms>;

const foldersOf = ({ dataDir, providerMirror }: Settings): Folders => ({
  runs: path.join(dataDir, 'runs'),
  capsules: path.join(dataDir, 'capsules'),
  archives: path.join(dataDir, 'archives'),
  providers: path.join(dataDir, 'providers'),
  mirror: providerMirror,
});

/** The floor that every room shares: history, accounts, Workspaces, the ledger. */
function buildBase({ db, clock, vault }: Ground) {
  const cursors = createCursors(() => vault.installationKey('cursors'));
  const outbox = createOutbox(db, clock);
  const shared = { db, clock, cursors, outbox };
  const activity = createActivityService({ ...shared, installationKey: () => vault.installationKey('audit') });
  const identity = createIdentityService({ ...shared, activity });
  const workspaces = createWorkspacesService({ ...shared, activity });
  const workspaceEvents = createWorkspaceEvents(shared);
  const runs = createRunsService(shared);
  return { shared, activity, identity, workspaces, workspaceEvents, runs };
}

type ConnectionsAsk = {
  gitRules: GitUrlRules;
  findUrl: (connectionId: string) => string | undefined;
  findDependents: (connectionId: string) => { queuedRuns: readonly string[]; capsules: readonly string[] };
  erase: <T>(work: () => T) => T;
};

function buildConnections(ground: Ground, base: ReturnType<typeof buildBase>, ask: ConnectionsAsk) {
  const { settings, db, clock, log, vault, git } = ground;
  const { shared, activity, identity, workspaces, runs } = base;
  const recipes = createRecipeShelf({ dataDir: settings.dataDir, log });
  const bubblewrap = findBubblewrap();
  const connections = createConnectionsService({
    ...shared,
    store: createConnectionsStore(db),
    vault,
    activity,
    workspaces,
    recipes,
    gitRules: ask.gitRules,
    erase: ask.erase,
    findDependents: ask.findDependents,
    isRunLive: (runId) => runs.findWorkspace(runId) !== undefined && runs.getRecord(runId).status === 'running',
    checkMaterial: createMaterialCheck({
      run: runTool,
      nodePath: ground.nodePath,
      entry: entryFile('connection-check'),
      wallIn: (binds, command) =>
        bubblewrap === undefined ? undefined : { file: bubblewrap, argv: probeArgv({ binds, command }) },
      requireSandbox: settings.requireSandbox,
    }),
    testGit: createGitTest({ git, findUrl: ask.findUrl }),
  });
  const oauth = createOauth({
    clock,
    log,
    recipes,
    connections,
    helpers: createOauthHelpers({ dataDir: settings.dataDir, log, recipes }),
    outgoing: settings,
    findSession: identity.findSession,
    findRoles: workspaces.findRoles,
  });
  return { connections, oauth };
}

/** Builds every room, lowest first. What a lower room needs of a higher one is a narrow function passed here. */
export function buildRooms(ground: Ground) {
  const { settings, db, clock, log, vault, toolbox } = ground;
  const base = buildBase(ground);
  const { shared, activity, workspaces, runs } = base;
  // The tool belongs to the machine, so every Workspace hears of it.
  toolbox.listen(({ id, status }) =>
    db.write(() => shared.outbox.push({ workspaceId: everyWorkspace, kind: 'runner', recordId: id, status })),
  );
  const folders = foldersOf(settings);
  const sourcesStore = createSourcesStore(db);
  const configs = createConfigsService({ ...shared, vault });
  const capsules = createCapsulesService({ ...shared, runs, activity, configDigest: configs.digestOf });
  const gitRules = { allowLoopback: settings.allowLoopbackGit, allowLocal: settings.allowLocalGit };
  const { connections, oauth } = buildConnections(ground, base, {
    gitRules,
    findUrl: sourcesStore.findUrlOfConnection,
    findDependents: (id) => ({ queuedRuns: store.listWaitingFor(id), capsules: bindings.listCapsulesOf(id) }),
    erase: (work) => keys.erase(work),
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
    requireGitConnection: connections.requireGit,
  });
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
    findUnbound: (workspaceId, requirements) => bindings.findUnbound(workspaceId, requirements),
  });
  const bindingsStore = createBindingsStore(db);
  const bindings = createBindingsService({ ...shared, store: bindingsStore, connections, capsules, workspaces });
  const grants = createGrants({ db, store: bindingsStore, vault, connections, erase: (work) => keys.erase(work) });
  runs.onLeave(({ id }) => grants.forget(id));
  const states = createStatesService({ ...shared, vault, capsules });
  const shares = createSharesService({
    ...shared,
    store: createSharesStore(db),
    activity,
    workspaces,
    capsules,
    states,
  });
  const dependencies = createDependenciesService({
    ...shared,
    store: createDependenciesStore(db),
    vault,
    activity,
    capsules,
    states,
    shares,
  });
  const store = createDeploysStore(db);
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
      store.listKeyUses(clock.now()).filter(({ runId, isEnded }) => !isEnded || existsSync(runDirOf(folders, runId))),
  });
  const known = {
    ...shared,
    log,
    folders,
    vault,
    store,
    runs,
    activity,
    workspaces,
    configs,
    capsules,
    states,
    dependencies,
    sources,
    inspection,
    toolbox,
    bindings,
    grants,
    bound: createBoundPlans({ bindings, configs, dependencies, inspection }),
  };
  const deploys = createDeploysService({
    ...known,
    stateTool: (capsuleId) => states.findCurrentHead(capsuleId)?.toolName,
    hasPlanFile: (runId) => existsSync(path.join(runDirOf(folders, runId), 'plan')),
    hasArchive: (digest) => existsSync(archivePath(folders.archives, digest)),
  });
  const steps = createInstallSteps({ ...known, deploys });
  const coordinators = createCoordinatorsService({
    ...known,
    checkAsked: createInstallChecks(known),
    steps,
  });
  const configurations = createConfigurationPlans({ ...known, deploys });
  const deployJob = createDeployJob({
    ...known,
    concurrency: settings.concurrentRuns,
    freeBytes: () => freeBytes(settings.dataDir),
    runner: ground.runner,
    jobSpec: createJobSpec({ ...known, allowances: settings.runAllowances }),
    finishPlan: createPlanFinish({ ...known, planTtlMs: settings.planTtlHours * 3_600_000 }),
    finishApply: createApplyFinish(known),
  });
  const syncJob = createSyncJob({
    ...known,
    store: sourcesStore,
    git: ground.git,
    repositoriesDir: path.join(settings.dataDir, 'git'),
    archivesDir: folders.archives,
    lendGitCredential: (connectionId, runId) => connections.lendGit(connectionId, runId),
  });
  const queue = createRunQueue({ ...known, jobs: [deployJob, syncJob] });
  const cancel = createCancel({ ...known, stop: (run) => queue.cancel(run) });
  const feed = createFeedReader({ runs, clock });
  const expiry = createExpiry({ ...known });
  const careStore = createCareStore(db);
  const caretaker = createCaretaker({
    ...known,
    store: careStore,
    freeBytes: () => freeBytes(settings.dataDir),
    sweep: createSweep({
      ...known,
      store: careStore,
      folders: careFoldersOf(settings.dataDir),
      keepDays: settings.keepDays,
    }),
  });
  return {
    ...base,
    keys,
    connections,
    oauth,
    configs,
    capsules,
    sources,
    inspection,
    findTool,
    states,
    shares,
    dependencies,
    bindings,
    deploys,
    coordinators,
    configurations,
    queue,
    cancel,
    feed,
    expiry,
    caretaker,
  };
}
