import { existsSync } from 'node:fs';
import path from 'node:path';
import { careFoldersOf, createCareStore, createCaretaker, createSweep } from '../domains/care/index.ts';
import {
  createConfigurationPlans,
  createCoordinatorsService,
  createDirectCommit,
  createInstallChecks,
  createInstallSteps,
  createPlanExpiry,
  createReAdoptions,
  createRevisionPlans,
} from '../domains/coordinators/index.ts';
import {
  createApplyFinish,
  createBoundPlans,
  createDeployJob,
  createDeploysService,
  createJobSpec,
  createLaneNews,
  createPlanFinish,
  createPolicyGate,
  planFilesOf,
} from '../domains/deploys/index.ts';
import { createGroupsService, createGroupsStore } from '../domains/groups/index.ts';
import { createCancel, createExpiry, createFeedReader, createRunQueue } from '../domains/runs/index.ts';
import { createSyncJob, createSyncSchedule } from '../domains/sources/index.ts';
import { createAutoUpdates, createUpdatesStore } from '../domains/updates/index.ts';
import { archivePath } from '../drivers/archive/index.ts';
import { freeBytes } from '../kernel/disk.ts';
import { foldersOf, type Ground, mirroredIn } from './app-context.ts';
import type { BaseRooms } from './base.ts';
import type { RecordRooms } from './records.ts';

/** What is done with it: plans, applies, installations and syncs, the queue that starts them, and the care of old files. */
export function buildWork(ground: Ground, base: BaseRooms, { stores, ...records }: RecordRooms) {
  const { settings, db, clock, log, vault, toolbox } = ground;
  const { shared, runs } = base;
  const folders = foldersOf(settings);
  const listMirrored = () => mirroredIn(folders);
  const laneNews = createLaneNews({ ...records, activity: base.activity });
  const known = {
    ...shared,
    ...base,
    ...records,
    log,
    folders,
    vault,
    store: stores.deploys,
    toolbox,
    bound: createBoundPlans(records),
    policyGate: createPolicyGate({ ...base, ...records, store: stores.deploys, listMirrored }),
    laneNews,
  };
  const deploys = createDeploysService({
    ...known,
    hasPlanFiles: (seal) => planFilesOf(folders, seal).every((file) => existsSync(file)),
    findBuildObstacle: toolbox.findBuildObstacle,
    hasArchive: (digest) => existsSync(archivePath(folders.archives, digest)),
  });
  const groups = createGroupsService({ ...known, store: createGroupsStore(db), deploys });
  const coordinating = buildCoordinators({ ...known, deploys });
  const deployJob = createDeployJob({
    ...known,
    concurrency: settings.concurrentRuns,
    freeBytes: () => freeBytes(settings.dataDir),
    runner: ground.runner,
    jobSpec: createJobSpec({
      ...known,
      allowances: settings.runAllowances,
      buildsWithoutSandbox: settings.allowBuildsWithoutSandbox,
    }),
    finishPlan: createPlanFinish({ ...known, planTtlMs: settings.planTtlHours * 3_600_000 }),
    finishApply: createApplyFinish(known),
  });
  const updates = createAutoUpdates({
    ...known,
    store: createUpdatesStore(db),
    deploys,
    findTool: async () => (await toolbox.current())?.tool,
    findReviewedLock: stores.deploys.findReviewedLock,
  });
  const syncJob = createSyncJob({
    ...known,
    store: stores.sources,
    git: ground.git,
    repositoriesDir: path.join(settings.dataDir, 'git'),
    archivesDir: folders.archives,
    lendGitCredential: records.connections.lendGit,
    onHead: (head, { intent }) => {
      const behind = laneNews.tell(head);
      if (intent === 'observe') updates.want(behind, head.id);
    },
  });
  const schedule = createSyncSchedule({ ...known, store: stores.sources, watch: records.sources.watch });
  const queue = createRunQueue({ ...known, jobs: [deployJob, syncJob] });
  const cancel = createCancel({ ...known, stop: (run) => queue.cancel(run) });
  const feed = createFeedReader({ runs, clock });
  const expiry = createExpiry({ ...known });
  const caretaker = buildCaretaker(known, settings);
  return {
    deploys,
    groups,
    ...coordinating,
    queue,
    schedule,
    updates,
    cancel,
    feed,
    expiry,
    caretaker,
  };
}

type Coordinating = Parameters<typeof createInstallSteps>[0] &
  Parameters<typeof createDirectCommit>[0] &
  Parameters<typeof createInstallChecks>[0] &
  Omit<Parameters<typeof createCoordinatorsService>[0], 'checkAsked' | 'steps'> &
  Parameters<typeof createRevisionPlans>[0] &
  Omit<Parameters<typeof createConfigurationPlans>[0], 'isUpdating'> &
  Omit<Parameters<typeof createReAdoptions>[0], 'isUpdating'> &
  Omit<Parameters<typeof createPlanExpiry>[0], 'kinds'>;

/** What leads a person to a plan step by step, and what changes an installed Capsule. */
function buildCoordinators(known: Coordinating) {
  const coordinators = createCoordinatorsService({
    ...known,
    checkAsked: createInstallChecks(known),
    steps: createInstallSteps(known),
  });
  const revisions = createRevisionPlans(known);
  const isUpdating = revisions.isUnderWay;
  const configurations = createConfigurationPlans({ ...known, isUpdating });
  const reAdoptions = createReAdoptions({ ...known, isUpdating });
  const planExpiry = createPlanExpiry({ ...known, kinds: [coordinators.expiring, revisions.expiring] });
  return { coordinators, revisions, planExpiry, configurations, reAdoptions, commitCapsule: createDirectCommit(known) };
}

type Caring = Omit<Parameters<typeof createCaretaker>[0], 'store' | 'freeBytes' | 'sweep'> &
  Omit<Parameters<typeof createSweep>[0], 'store' | 'folders' | 'keepDays'>;

/** Who takes away what nothing needs any more. */
function buildCaretaker(known: Caring & { db: Ground['db'] }, { dataDir, keepDays }: Ground['settings']) {
  const store = createCareStore(known.db);
  const sweep = createSweep({ ...known, store, folders: careFoldersOf(dataDir), keepDays });
  return createCaretaker({ ...known, store, freeBytes: () => freeBytes(dataDir), sweep });
}
