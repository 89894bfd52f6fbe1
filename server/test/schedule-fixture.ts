import fs from 'node:fs';
import path from 'node:path';
import { removeTree } from '#server/kernel/remove-tree';
import { genericInstallConfigId, type OutputAllowlist } from '#shared/install-configs/contract';
import { type LifecycleAction, lifecycleCapability } from '#shared/install-configs/lifecycle';
import type { SourceBuild } from '#shared/install-configs/source-build';
import type { InterfaceBlueprint } from '#shared/interfaces/blueprint';
import type { RequiredInterface } from '#shared/interfaces/required';
import type { RootProviderRequirement, VariableDeclaration } from '#shared/sources/module-scan';
import type { BillingMode } from '#shared/usage/contract';
import type { AppContext } from '../src/compose/app-context.ts';
import { buildDomains, type Domains } from '../src/compose/domains.ts';
import { openKeys } from '../src/compose/key-host.ts';
import { createToolManager, type ToolManager } from '../src/domains/execution/tool-manager.ts';
import { createConfigEdits } from '../src/domains/install-configs/index.ts';
import { variableContractDigest } from '../src/domains/install-configs/variables.ts';
import { createKeysStore } from '../src/domains/keys/index.ts';
import { createSourcesStore } from '../src/domains/sources/store.ts';
import { archivePath } from '../src/drivers/archive/index.ts';
import { type ModuleReport, scanKeyOf } from '../src/drivers/scan/index.ts';
import type { Clock } from '../src/kernel/clock.ts';
import type { Db } from '../src/kernel/db.ts';
import { newId } from '../src/kernel/ids.ts';
import { createLog, type Log } from '../src/kernel/log.ts';
import { readSettings } from '../src/kernel/settings.ts';
import type { FenceSettings } from '../src/kernel/settings-fence.ts';
import { openTestLedger } from './empty-ledger.ts';
import { tempDir, testKeyFile } from './harness.ts';
import { createLooseVault } from './loose-vault.ts';
import { createScriptedRunner, type ScriptedRunner } from './scripted-runner.ts';

export const scheduleTool = { name: 'tofu', version: '1.12.6', path: '/nowhere/tofu' } as const;

/** Every domain of a server in this process, over a real ledger, with supervisors that a schedule simulates. */
export type ScheduleFixture = {
  readonly domains: Domains;
  readonly toolManager: ToolManager;
  readonly runner: ScriptedRunner;
  readonly db: Db;
  readonly dataDir: string;
  readonly workspaceId: string;
  readonly owner: string;
  /** A pending Capsule of a module that was synced and checked, as an installation leaves it. */
  makeCapsule(inWorkspace?: string): { id: string; sourceId: string };
  /** Ends a sync: another commit is the newest of the lane, and was checked. Returns its snapshot. */
  sync(sourceId: string, overrides?: ScanOverrides): string;
  /** Ends the server and starts another one on the same ledger; supervisors live on. */
  restart(): Promise<void>;
  /** Resolves when the queue and its specs have no more work. */
  settle(): Promise<void>;
  close(): Promise<void>;
};

const declarations: VariableDeclaration[] = [{ name: 'title', type: 'string', hasDefault: true }];
/** It is never unpacked, but it must exist. */
const archiveDigest = `sha256:${'0'.repeat(64)}`;
const adoptedManifest = {
  apiVersion: 'svc/v2.4',
  digest: archiveDigest,
  baseId: genericInstallConfigId,
  baseDigest: archiveDigest,
  acceptedId: 'icfg_none',
};
const lane = { ref: 'main', path: '.' };
const sealer = {
  sealedBy: undefined,
  seal: (_context: unknown, plain: Uint8Array) => Buffer.from(plain),
  open: (_context: unknown, sealed: Buffer) => sealed,
  keyVersion: () => 1,
  capsuleKey: () => Buffer.alloc(32, 7),
  installationKey: (purpose: string) => Buffer.from(purpose).toString('hex'),
};

type ScheduleFixtureOptions = {
  /** Requirements of every module of this fixture. */
  providers?: RootProviderRequirement[];
  /** Build of every module before its plans. */
  sourceBuild?: SourceBuild;
  /** Public Outputs of every module's manifest; without it there is no manifest. */
  publishes?: OutputAllowlist;
  /** Interfaces that every module uses. */
  requires?: RequiredInterface[];
  /** The operator allows builds; there is no sandbox. */
  buildsWithoutSandbox?: boolean;
  /** Profiles of managed Connections that the operator declares. */
  providerProfiles?: string[];
  /** Actions of every module, which its policy allows. */
  lifecycleActions?: LifecycleAction[];
  /** Interfaces that every module offers. */
  offers?: InterfaceBlueprint[];
  /** Mode of the usage of Runs. */
  billingMode?: BillingMode;
  /** The operator's release activator. */
  releaseActivator?: { url: string; token: string };
  /** Addresses of this machine may be named where Git hosts may. */
  allowLoopbackGit?: boolean;
  /** Time for which a credential service may answer. */
  credentialAnswerMs?: number;
  /** Seals with stored keys as a server does; without it nothing is sealed. */
  sealsValues?: boolean;
  /** Bucket that names the server that may write. */
  fence?: FenceSettings;
  /** Environment variables of the settings. */
  env?: NodeJS.ProcessEnv;
};

function writeArchive(dataDir: string): void {
  const archive = archivePath(path.join(dataDir, 'archives'), archiveDigest);
  fs.mkdirSync(path.dirname(archive), { recursive: true });
  fs.writeFileSync(archive, '');
}

function startWork({ queue, expiry, connections, updates }: Domains): void {
  queue.start();
  expiry.start();
  connections.revocations.start();
  updates.start();
}

async function stopWork({ queue, expiry, connections, updates }: Domains): Promise<void> {
  expiry.stop();
  await Promise.all([queue.stop(), connections.revocations.stop(), updates.stop()]);
}

function openNoKeys(db: Db, clock: Clock) {
  const { sealSecret, openSecret } = createLooseVault();
  return { vault: { ...sealer, sealSecret, openSecret }, keysStore: createKeysStore(db, clock.now) };
}

const openStoredKeys = (db: Db, { dataDir, clock, log }: { dataDir: string; clock: Clock; log: Log }) =>
  openKeys(db, {
    settings: { dataDir, keySource: 'file', keyFile: testKeyFile(dataDir), passphraseFile: undefined },
    log,
    clock,
    prefersKeychain: false,
    nodePath: process.execPath,
  });

export async function openScheduleFixture(
  clock: Clock,
  options: ScheduleFixtureOptions = {},
): Promise<ScheduleFixture> {
  const { providers = [], buildsWithoutSandbox = false, providerProfiles = [], releaseActivator } = options;
  const { billingMode = 'disabled', allowLoopbackGit = false, credentialAnswerMs, fence } = options;
  const dataDir = tempDir();
  const runner = createScriptedRunner();
  writeArchive(dataDir);
  const db = openTestLedger(dataDir);
  const log = createLog('silent');
  const find = async () => ({ ...scheduleTool, origin: 'setting' as const });
  const context = {
    settings: {
      ...readSettings(options.env ?? {}, { dataDir, port: '0' }),
      concurrentRuns: 2,
      allowBuildsWithoutSandbox: buildsWithoutSandbox,
      providerProfiles,
      billingMode,
      releaseActivator,
      allowLoopbackGit,
      fence,
    },
    db,
    clock,
    log,
    ...(options.sealsValues ? await openStoredKeys(db, { dataDir, clock, log }) : openNoKeys(db, clock)),
    runner,
    toolManager: createToolManager({ runner, find, installTool: find, clock, log, buildsWithoutSandbox }),
    git: {},
    scan: {},
    fenceRetryMs: 20,
    ...(credentialAnswerMs !== undefined && { credentialAnswerMs }),
    pinnedToolVersion: scheduleTool.version,
  } as unknown as AppContext;
  let domains = buildDomains(context);
  const { subject: owner } = domains.identity.ensureLocalOwner();
  domains.workspaces.ensurePersonalWorkspace(owner);
  domains.configs.ensureGeneric();
  const workspaceId = db.sqlite.prepare('SELECT id FROM workspaces').pluck().get() as string;
  startWork(domains);
  const store = createSourcesStore(db);
  const sync = (sourceId: string, overrides?: ScanOverrides) =>
    addSnapshot({ store, clock, workspaceId, sourceId, providers }, overrides).sourceSnapshotId;
  return {
    get domains() {
      return domains;
    },
    toolManager: context.toolManager,
    runner,
    db,
    dataDir,
    workspaceId,
    owner,
    makeCapsule: (inWorkspace = workspaceId) =>
      db.write(() =>
        installModule({
          domains,
          sync: (sourceId) => addSnapshot({ store, clock, workspaceId: inWorkspace, sourceId, providers }),
          workspaceId: inWorkspace,
          owner,
          options,
          baseId: baseOf(options, context),
        }),
      ),
    sync: (sourceId, overrides) => db.write(() => sync(sourceId, overrides)),
    async restart() {
      await stopWork(domains);
      domains = buildDomains(context);
      startWork(domains);
    },
    async settle() {
      for (let turn = 0; turn < 12; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    },
    async close() {
      await stopWork(domains);
      db.close();
      removeTree(dataDir);
    },
  };
}

type Installing = {
  domains: Domains;
  sync: (sourceId: string) => { sourceSnapshotId: string; reportId: string };
  workspaceId: string;
  owner: string;
  options: Pick<ScheduleFixtureOptions, 'sourceBuild' | 'publishes' | 'requires' | 'offers' | 'lifecycleActions'>;
  baseId: string;
};

/** Returns the plain configuration, or for a module with actions one of the operator that allows every action. */
function baseOf(options: ScheduleFixtureOptions, { db, clock, vault }: AppContext): string {
  if (options.lifecycleActions === undefined) return genericInstallConfigId;
  const lifecycleActions = {
    allowedExecutors: ['runner' as const, 'operator' as const],
    allowedRunnerCapabilities: [lifecycleCapability],
    allowProviderCredentials: true,
  };
  return createConfigEdits({ db, clock, vault }).create(
    { name: 'Ours', policy: { lifecycleActions } },
    newId('activity'),
  ).id;
}

function installModule(installing: Installing): { id: string; sourceId: string } {
  const { domains, sync, workspaceId, owner } = installing;
  const { sourceBuild, publishes, requires, offers, lifecycleActions } = installing.options;
  const name = newId('capsule');
  const sourceId = domains.sources.findOrCreate({ workspaceId, name, url: `https://example.com/${name}`, lane }, owner);
  const { sourceSnapshotId, reportId } = sync(sourceId);
  const pinned = { sourceId, sourceSnapshotId, reportId, ...lane };
  const config = domains.configs.derive({
    seed: name,
    workspaceId,
    name,
    modulePath: '.',
    provenance: {
      ...pinned,
      variableContractDigest: variableContractDigest(declarations),
      ...(publishes && { manifest: adoptedManifest }),
    },
    variables: { title: 'one' },
    secretVariables: [],
    baseId: installing.baseId,
    parts: {
      ...(sourceBuild && { sourceBuild }),
      ...(publishes && { outputAllowlist: publishes }),
      ...(requires && { requiredInterfaces: requires }),
      ...(offers && { interfaceBlueprints: offers }),
      ...(lifecycleActions && { lifecycleActions }),
    },
  });
  const names = { workspaceId, name, environment: 'test', sourceId, installConfigId: config.id };
  const checked = { compatibilityReportId: reportId, compatibilityStatus: 'ready' as const };
  return { id: domains.capsules.create({ ...names, ...checked }, owner).id, sourceId };
}

type At = {
  store: ReturnType<typeof createSourcesStore>;
  clock: Clock;
  workspaceId: string;
  sourceId: string;
  providers: RootProviderRequirement[];
};

/** Parts of a scan result that differ from the default. */
type ScanOverrides = Partial<
  Pick<ModuleReport, 'level' | 'provisioners' | 'dataSources' | 'providerPackages' | 'programs'>
>;

function addSnapshot({ store, clock, workspaceId, sourceId, providers }: At, overrides: ScanOverrides = {}) {
  const sourceSnapshotId = newId('snapshot');
  const reportId = newId('report');
  const now = clock.now();
  const from = { workspaceId, sourceId };
  store.insertSnapshot({
    id: sourceSnapshotId,
    ...from,
    url: 'https://example.com/a',
    ...lane,
    resolvedCommit: sourceSnapshotId,
    archiveDigest,
    archiveSizeBytes: 0,
    repositoryManifest: { status: 'absent' },
    leftOut: [],
    commit: null,
    fetchedByRunId: 'ssr_none',
    fetchedAt: now,
  });
  store.moveLane({ sourceId, ...lane, snapshotId: sourceSnapshotId, syncedAt: now });
  const none = {
    findings: [],
    providerPackages: [...new Set(providers.map(({ source }) => source))].map((source) => ({ source })),
    rootProviderRequirements: providers,
    resources: [],
    dataSources: [],
    provisioners: [],
    ...overrides,
  };
  const report = {
    id: reportId,
    sourceId,
    sourceSnapshotId,
    modulePath: '.',
    level: 'ready' as const,
    ...none,
    rootModuleVariableDeclarations: declarations,
    createdAt: new Date(now).toISOString(),
  };
  const rootView = {
    ownProviderBlocks: [],
    encryptionTargets: [],
    encryptionDefault: false,
    programs: overrides.programs,
  };
  const scan = { snapshotId: sourceSnapshotId, modulePath: '.', tool: 'tofu', runId: 'ccr_none', report, rootView };
  const tool = scanKeyOf(scheduleTool);
  const module = {
    ...none,
    modulePath: '.',
    level: 'ready',
    rootModuleVariableDeclarations: declarations,
    ...overrides,
  };
  const discovery = { status: 'ready', sourceSnapshotId, scopePath: '.', modules: [] };
  store.saveScan({
    snapshotId: sourceSnapshotId,
    tool,
    result: { discovery, reports: [{ ...module, ...rootView, rootModuleVariables: [], rootModuleOutputs: [] }] },
    createdAt: now,
  });
  store.insertReport({ id: reportId, ...from, ...scan });
  return { sourceSnapshotId, reportId };
}
