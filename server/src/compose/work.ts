import { existsSync } from 'node:fs';
import path from 'node:path';
import { localPool } from '#shared/runs/contract';
import { createAppliesService, createApplyFinish, createHoldCheck, createSealCheck } from '../domains/applies/index.ts';
import { createHoldEnds, createStalenessNotifier } from '../domains/capsules/index.ts';
import { createCopiesStore, createPackageComparison } from '../domains/copies/index.ts';
import {
  createCapsuleChecks,
  createExecutionHandler,
  createJobBuilder,
  placementOf,
  runIdOfFolder,
} from '../domains/execution/index.ts';
import {
  createDeleteRuns,
  createGcHold,
  createGcScheduler,
  createGcStore,
  createSweep,
  gcFoldersOf,
} from '../domains/gc/index.ts';
import { createLifecycle, createLifecycleStore } from '../domains/lifecycle/index.ts';
import {
  createAuthorityCheck,
  createBoundPlans,
  createPlanChecks,
  createPlanFinish,
  createPlansService,
  createPolicyGate,
  createSealedDigests,
  createSealedPlans,
  planFilesOf,
  takeOutputs,
} from '../domains/plans/index.ts';
import type { RemoteRuns } from '../domains/remote-runs/index.ts';
import { createRunGroupsService, createRunGroupsStore } from '../domains/run-groups/index.ts';
import { createCancel, createExpiry, createFeedReader, createRunQueue } from '../domains/runs/index.ts';
import { createSyncHandler, createSyncSchedule } from '../domains/sources/index.ts';
import { createStateResourcesService } from '../domains/state-resources/index.ts';
import { createAutoUpdates, createUpdatesStore } from '../domains/updates/index.ts';
import { createActivator } from '../drivers/activator/index.ts';
import { archivePath } from '../drivers/archive/index.ts';
import { freeBytes } from '../kernel/disk.ts';
import { createDriverByJob, createLocalDriver } from '../runner/index.ts';
import { type AppContext, foldersOf, mirroredIn } from './app-context.ts';
import { buildBackups } from './backups.ts';
import type { BaseDomains } from './base.ts';
import { buildCapsulePlans } from './capsule-plans.ts';
import { buildDrift, buildDriftMarks } from './drift.ts';
import type { RecordDomains } from './records.ts';
import { buildRemoteRuns, buildRemoteWork } from './remote-runs.ts';

/** Builds the execution side: plans, applies, installations and syncs, their queue, and the cleanup of old files. */
export function buildWork(context: AppContext, base: BaseDomains, { stores, ...records }: RecordDomains) {
  const { settings, db, clock, log, vault, toolManager } = context;
  const { shared, runs } = base;
  const folders = foldersOf(settings);
  const listMirrored = () => mirroredIn(folders);
  const stalenessNotifier = createStalenessNotifier({ ...records, activity: base.activity });
  const stateResources = createStateResourcesService({ ...shared, ...records, log, vault, runs });
  const { projector } = stateResources;
  const driftMarks = buildDriftMarks(context, base, stores.drift);
  const known = {
    ...shared,
    ...base,
    ...records,
    projector,
    log,
    folders,
    vault,
    store: stores.plans,
    sealedDigests: createSealedDigests({ vault, store: stores.plans }),
    toolManager,
    pinnedToolVersion: context.pinnedToolVersion,
    bound: createBoundPlans(records),
    findAuthority: records.issuer.findAuthority,
    capsuleClients: records.issuer.capsuleClients,
    policyGate: createPolicyGate({ ...base, ...records, store: stores.plans, listMirrored }),
    stalenessNotifier,
    recordDrift: driftMarks.recordCheck,
  };
  const plans = createPlansService({
    ...known,
    findBuildUnavailableReason: toolManager.findBuildUnavailableReason,
    hasArchive: (digest) => existsSync(archivePath(folders.archives, digest)),
  });
  const applies = createAppliesService({
    ...known,
    hasPlanFiles: (seal) => planFilesOf(folders, seal).every((file) => existsSync(file)),
  });
  const groups = createRunGroupsService({ ...known, store: createRunGroupsStore(db), plans, applies });
  const backups = buildBackups(settings, { ...known, plans });
  const capsulePlans = buildCapsulePlans(context, { ...base, ...records, plans, restores: backups.restores });
  const { executionHandler, ...execution } = buildExecutions(context, { ...known, stores });
  const updates = createAutoUpdates({
    ...known,
    store: createUpdatesStore(db),
    plans,
    applies,
    findTool: toolManager.find,
    poolOfNext: (capsuleId) => records.runnerPools.chosenPool(records.capsules.getRow(capsuleId)),
    findReviewedLock: stores.plans.findReviewedLock,
    hasChangedPackages: createPackageComparison(createCopiesStore(db)),
  });
  const syncHandler = buildSyncs(context, { ...known, store: stores.sources, updates });
  const handlers = [executionHandler, syncHandler, backups.backups.handler, backups.restores.handler];
  const queue = createRunQueue({ ...known, handlers });
  return {
    plans,
    stateResources,
    applies,
    groups,
    ...backups,
    ...buildDrift(context, { ...base, ...records }, { store: stores.drift, marks: driftMarks, plans }),
    ...capsulePlans,
    queue,
    remoteRuns: buildRemoteWork({ ...known, ...execution, ...capsulePlans, queue, sealed: stores.plans }),
    schedule: createSyncSchedule({ ...known, store: stores.sources, watch: records.sources.watch }),
    updates,
    cancel: createCancel(known),
    feed: createFeedReader({ runs, clock }),
    expiry: createExpiry({ ...known }),
    holdEnds: createHoldEnds({ ...known }),
    ...buildGc({ ...known, plans }, settings),
  };
}

type ExecutionsParts = Omit<ExecutionParts, 'driver' | 'findMachineTool' | 'buildJob' | 'settings'> &
  Omit<Parameters<typeof createJobBuilder>[0], 'store' | 'plans' | 'allowances' | 'buildsWithoutSandbox'> &
  Parameters<typeof createSealedPlans>[0] &
  Parameters<typeof buildRemoteRuns>[1] &
  Parameters<typeof buildRemoteRuns>[2];

/** Builds the handler of plans and applies, with the machines of pools that may execute them. */
function buildExecutions(context: AppContext, parts: ExecutionsParts) {
  const { settings } = context;
  const remote = buildRemoteRuns(context, parts, parts);
  const buildJob = createJobBuilder({
    ...parts,
    store: parts.stores.execution,
    plans: createSealedPlans(parts),
    allowances: settings.runAllowances,
    buildsWithoutSandbox: settings.allowBuildsWithoutSandbox,
  });
  const executionHandler = buildExecution({
    ...parts,
    settings,
    buildJob,
    driver: buildDriver(context, parts.runs, remote),
    findMachineTool: (runId) => remote?.findTool(runId),
  });
  return { executionHandler, remote, buildJob };
}

type SyncParts = Omit<
  Parameters<typeof createSyncHandler>[0],
  'git' | 'repositoriesDir' | 'archivesDir' | 'issueGitCredential' | 'onHead'
> & {
  connections: Pick<RecordDomains['connections'], 'issueGit'>;
  stalenessNotifier: Pick<ReturnType<typeof createStalenessNotifier>, 'notify'>;
  updates: Pick<ReturnType<typeof createAutoUpdates>, 'want'>;
};

/** Builds the handler of syncs. A new commit makes Capsules stale and may start their automatic update. */
function buildSyncs({ git, settings }: AppContext, parts: SyncParts) {
  return createSyncHandler({
    ...parts,
    git,
    repositoriesDir: path.join(settings.dataDir, 'git'),
    archivesDir: foldersOf(settings).archives,
    issueGitCredential: parts.connections.issueGit,
    onHead: (head, { intent }) => {
      const behind = parts.stalenessNotifier.notify(head);
      if (intent === 'observe') parts.updates.want(behind, head.id);
    },
  });
}

type ExecutionParts = Omit<
  Parameters<typeof createExecutionHandler>[0],
  'concurrency' | 'completeInput' | 'startChecks' | 'resolveConnections' | 'finishPlan' | 'finishApply' | 'actions'
> &
  Parameters<typeof takeOutputs>[1] &
  Omit<Parameters<typeof createCapsuleChecks>[0], 'freeBytes'> &
  Parameters<typeof createPlanChecks>[0] &
  Parameters<typeof createAuthorityCheck>[0] &
  Parameters<typeof createHoldCheck>[0] &
  Parameters<typeof createSealCheck>[0] &
  Omit<Parameters<typeof createPlanFinish>[0], 'planTtlMs'> &
  Parameters<typeof createApplyFinish>[0] &
  Omit<
    Parameters<typeof createLifecycle>[0],
    'store' | 'activator' | 'activatorToken' | 'allowances' | 'findBuiltDigest' | 'finish'
  > & {
    bound: ReturnType<typeof createBoundPlans>;
    stores: Pick<RecordDomains['stores'], 'execution'>;
    settings: AppContext['settings'];
  };

/** Builds the handler of plan and apply Runs: what ends each kind is passed to the execution. */
function buildExecution(parts: ExecutionParts) {
  const { settings } = parts;
  const { finishApply, finishActions } = createApplyFinish(parts);
  return createExecutionHandler({
    ...parts,
    actions: buildLifecycle(parts, finishActions),
    concurrency: settings.concurrentRuns,
    completeInput: (run) => takeOutputs(run, parts),
    startChecks: [
      ...createCapsuleChecks({ ...parts, freeBytes: () => freeBytes(settings.dataDir) }),
      ...createPlanChecks(parts),
      createAuthorityCheck(parts),
      createHoldCheck(parts),
      createSealCheck(parts),
    ],
    resolveConnections: parts.bound.start,
    finishPlan: createPlanFinish({ ...parts, planTtlMs: settings.planTtlHours * 3_600_000 }),
    finishApply,
  });
}

/** Builds the driver that executes a Run on this machine or on those of its pool. */
function buildDriver(
  { runner, toolManager, settings }: AppContext,
  { findRecord }: Pick<BaseDomains['runs'], 'findRecord'>,
  remote: RemoteRuns | undefined,
) {
  const local = createLocalDriver({
    runner,
    folders: foldersOf(settings),
    // Requirements of the operator apply to new Runs only, never to taking over an apply that runs.
    findMachine: async () => placementOf((await toolManager.current()) ?? (await toolManager.require())),
  });
  if (!remote) return local;
  return createDriverByJob((jobId) =>
    (findRecord(runIdOfFolder(jobId))?.runnerPool ?? localPool) === localPool ? local : remote.driver,
  );
}

/** Builds the actions around the tool: what ends their Run is passed to them. */
function buildLifecycle(parts: ExecutionParts, finish: Parameters<typeof createLifecycle>[0]['finish']) {
  const { settings } = parts;
  const { releaseActivator } = settings;
  return createLifecycle({
    ...parts,
    store: createLifecycleStore(parts.db),
    activator: releaseActivator && createActivator(releaseActivator, { caFile: settings.caFile }),
    activatorToken: releaseActivator?.token,
    allowances: settings.runAllowances,
    findBuiltDigest: (planRunId) => parts.store.findSeal(planRunId)?.builtDigest ?? undefined,
    finish,
  });
}

type GcParts = Omit<Parameters<typeof createGcScheduler>[0], 'store' | 'freeBytes' | 'sweep'> &
  Omit<Parameters<typeof createSweep>[0], 'store' | 'folders' | 'keepDays' | 'deleteRuns' | 'isHeld'> &
  Parameters<typeof createDeleteRuns>[0];

/** Builds the scheduler that deletes unused files and records, and the hold that keeps files while they are copied. */
function buildGc(known: GcParts & { db: AppContext['db'] }, { dataDir, keepDays }: AppContext['settings']) {
  const store = createGcStore(known.db);
  const gcHold = createGcHold();
  const sweep = createSweep({
    ...known,
    store,
    folders: gcFoldersOf(dataDir),
    keepDays,
    deleteRuns: createDeleteRuns(known),
    isHeld: gcHold.isHeld,
  });
  return { gcHold, gcScheduler: createGcScheduler({ ...known, store, freeBytes: () => freeBytes(dataDir), sweep }) };
}
