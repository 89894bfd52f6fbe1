import { existsSync } from 'node:fs';
import path from 'node:path';
import { createActivityService } from './activity/index.ts';
import { createCapsulesService } from './capsules/index.ts';
import { createConfigsService } from './configs/index.ts';
import { createConfigurationPlans, createCoordinatorsService, createInstallSteps } from './coordinators/index.ts';
import {
  createApplyFinish,
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
import type { Log } from './kernel/log.ts';
import { createOutbox, everyWorkspace } from './kernel/outbox.ts';
import { createCursors } from './kernel/page.ts';
import type { Settings } from './kernel/settings.ts';
import type { Runner } from './runner/index.ts';
import { createCancel, createExpiry, createFeedReader, createRunQueue, createRunsService } from './runs/index.ts';
import type { Scan } from './scan/index.ts';
import { createInspection, createSourcesService, createSourcesStore, createSyncJob } from './sources/index.ts';
import { createStatesService } from './states/index.ts';
import type { Vault } from './vault/index.ts';
import { createWorkspaceEvents, createWorkspacesService } from './workspaces/index.ts';

/** What the rooms stand on. */
export type Ground = {
  settings: Settings;
  db: Db;
  clock: Clock;
  log: Log;
  vault: Vault;
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
  const cursors = createCursors(vault.installationKey('cursors'));
  const outbox = createOutbox(db, clock);
  const shared = { db, clock, cursors, outbox };
  const activity = createActivityService({ ...shared, installationKey: vault.installationKey('audit') });
  const identity = createIdentityService({ ...shared, activity });
  const workspaces = createWorkspacesService({ ...shared, activity });
  const workspaceEvents = createWorkspaceEvents(shared);
  const runs = createRunsService(shared);
  return { shared, activity, identity, workspaces, workspaceEvents, runs };
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
  const sources = createSourcesService({
    ...shared,
    store: sourcesStore,
    vault,
    runs,
    activity,
    workspaces,
    gitRules,
    hasCapsule: capsules.hasSource,
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
  });
  const states = createStatesService({ ...shared, vault, capsules });
  const store = createDeploysStore(db);
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
    sources,
    inspection,
    toolbox,
  };
  const deploys = createDeploysService({
    ...known,
    stateTool: (capsuleId) => states.findCurrentHead(capsuleId)?.toolName,
    hasPlanFile: (runId) => existsSync(path.join(runDirOf(folders, runId), 'plan')),
  });
  const steps = createInstallSteps({ ...known, deploys });
  const coordinators = createCoordinatorsService({ ...known, steps });
  const configurations = createConfigurationPlans({ ...known, deploys });
  const deployJob = createDeployJob({
    ...known,
    concurrency: settings.concurrentRuns,
    freeBytes: () => freeBytes(settings.dataDir),
    runner: ground.runner,
    jobSpec: createJobSpec(known),
    finishPlan: createPlanFinish({ ...known, planTtlMs: settings.planTtlHours * 3_600_000 }),
    finishApply: createApplyFinish(known),
  });
  const syncJob = createSyncJob({
    ...known,
    store: sourcesStore,
    git: ground.git,
    repositoriesDir: path.join(settings.dataDir, 'git'),
    archivesDir: folders.archives,
  });
  const queue = createRunQueue({ ...known, jobs: [deployJob, syncJob] });
  const cancel = createCancel({ ...known, stop: (run) => queue.cancel(run) });
  const feed = createFeedReader({ runs, clock });
  const expiry = createExpiry({ ...known });
  return {
    ...base,
    configs,
    capsules,
    sources,
    inspection,
    states,
    deploys,
    coordinators,
    configurations,
    queue,
    cancel,
    feed,
    expiry,
  };
}
