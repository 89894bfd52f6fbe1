import { existsSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { apiTables, formHostApis } from '#shared/api';
import type { Api } from '#shared/kernel/endpoint';
import { retiredRoutes } from '#shared/retired';
import { activityRoutes } from '../domains/activity/index.ts';
import { appliesRoutes } from '../domains/applies/index.ts';
import { backupSchedulesRoutes } from '../domains/backup-schedules/index.ts';
import { backupsRoutes } from '../domains/backups/index.ts';
import { capsulesRoutes } from '../domains/capsules/index.ts';
import { configurationPlansRoutes } from '../domains/configuration-plans/index.ts';
import { connectionNotFound, connectionsRoutes } from '../domains/connections/index.ts';
import { copiesRoutes } from '../domains/copies/index.ts';
import {
  contentSecurityPolicy,
  createAttention,
  createAttentionStore,
  createDashboardViews,
  dashboardRoutes,
  installLinkRoutes,
  readPage,
} from '../domains/dashboard/index.ts';
import { dependenciesRoutes } from '../domains/dependencies/index.ts';
import { discoveryRoutes } from '../domains/discovery/index.ts';
import { driftRoutes } from '../domains/drift/index.ts';
import { exportsRoutes } from '../domains/exports/index.ts';
import { fenceRoutes } from '../domains/fence/index.ts';
import { formPackagesRoutes } from '../domains/form-packages/index.ts';
import {
  formCompatibilityRoutes,
  formHostRoutes,
  formResourceRecordsRoutes,
  spaceNotFound,
} from '../domains/form-resources/index.ts';
import { identityRoutes } from '../domains/identity/index.ts';
import { importsRoutes } from '../domains/imports/index.ts';
import { installConfigsRoutes } from '../domains/install-configs/index.ts';
import { installPlansRoutes } from '../domains/install-plans/index.ts';
import { installationRoutes } from '../domains/installation/index.ts';
import { installationBackupsRoutes } from '../domains/installation-backups/index.ts';
import { interfacesOperatorRoutes, interfacesRoutes } from '../domains/interfaces/index.ts';
import { issuerOperatorRoutes, issuerRoutes } from '../domains/issuer/index.ts';
import { keysRoutes } from '../domains/keys/index.ts';
import { lateStatesRoutes } from '../domains/late-states/index.ts';
import { notificationsRoutes } from '../domains/notifications/index.ts';
import {
  createMetrics,
  createOperatorConfigs,
  type Metrics,
  metricsRoutes,
  operatorRoutes,
} from '../domains/operator/index.ts';
import { outputSharesRoutes } from '../domains/output-shares/index.ts';
import { plansRoutes } from '../domains/plans/index.ts';
import { providerBindingsRoutes } from '../domains/provider-bindings/index.ts';
import { reAdoptionsRoutes } from '../domains/re-adoptions/index.ts';
import { restoresRoutes } from '../domains/restores/index.ts';
import { revisionPlansRoutes } from '../domains/revision-plans/index.ts';
import { runGroupsRoutes } from '../domains/run-groups/index.ts';
import { runnerPoolsRoutes } from '../domains/runner-pools/index.ts';
import { runsRoutes } from '../domains/runs/index.ts';
import { createSearchService, createSearchStore, searchRoutes } from '../domains/search/index.ts';
import { signInRoutes } from '../domains/signin/index.ts';
import { codeRoutes, sourcesRoutes } from '../domains/sources/index.ts';
import { stateResourcesRoutes } from '../domains/state-resources/index.ts';
import { stateVersionsRoutes } from '../domains/state-versions/index.ts';
import { tokensRoutes } from '../domains/tokens/index.ts';
import { usageRoutes } from '../domains/usage/index.ts';
import { webhooksRoutes } from '../domains/webhooks/index.ts';
import { workspaceDeletionsRoutes } from '../domains/workspace-deletions/index.ts';
import { membersRoutes, workspacesRoutes } from '../domains/workspaces/index.ts';
import { freeBytes, leastFreeBytes } from '../kernel/disk.ts';
import { pagesDir } from '../kernel/entry.ts';
import {
  capabilityRefusal,
  createClientAddress,
  createHttp,
  createIngress,
  createMount,
  createRates,
  createReceipts,
  findBearerIn,
  type GatePorts,
  installGate,
  installNotFound,
  installObserver,
  installStaticFiles,
  mountDisabled,
  mountRetired,
} from '../kernel/http/index.ts';
import { present } from '../kernel/present.ts';
import type { AppContext } from './app-context.ts';
import { buildDomains, type Domains } from './domains.ts';
import { createSample } from './sample.ts';

type AppParts = AppContext & {
  version: string;
  isOperator: (token: string) => boolean;
  cookie: { name: string; secure: boolean };
  /** PEM texts of the server certificate. */
  tls: { cert: string; key: string } | undefined;
};
export type App = { http: FastifyInstance; domains: Domains; metrics: Metrics };

/** Composes the whole server: domains, gate, routes. */
export function createApp(parts: AppParts): App {
  const { db, clock, log, vault } = parts;
  const domains = buildDomains(parts);
  const { formHost } = parts.settings;
  const http = createHttp(log, { secure: parts.cookie.secure, formHost, ...(parts.tls && { tls: parts.tls }) });
  const gate = gateOf(parts, domains);
  installGate(http, gate);
  const receipts = createReceipts(db, clock, () => vault.installationKey('receipts'));
  receipts.sweep();
  const mount = createMount(http, { db, receipts, gate });
  const metrics = createMetrics({ ...parts, ...domains, dataDir: parts.settings.dataDir });
  installObserver(http, metrics.observeRequest);
  mountDomains({ mount, parts, domains, metrics });
  mountRetired(http, retiredRoutes);
  if (!formHost) mountDisabled(http);
  if (existsSync(pagesDir())) installStaticFiles(http, pagesDir());
  installNotFound(http, {
    tables: tablesOf(parts),
    page: {
      html: readPage(parts.settings.isLocal ? parts.settings.dataDir : undefined),
      policy: contentSecurityPolicy,
    },
    ingress: gate.ingress,
  });
  return { http, domains, metrics };
}

/** Returns the endpoint tables of this server. */
const tablesOf = ({ settings }: Pick<AppParts, 'settings'>): readonly Api[] =>
  settings.formHost ? [...apiTables, formHostApis] : apiTables;

function gateOf({ bound, isOperator, cookie, clock, settings }: AppParts, domains: Domains): GatePorts {
  const { identity, workspaces, tokens, runs, sources, inspection, capsules, configs, states } = domains;
  const { connections, oauth, shares, dependencies } = domains;
  const addressOf = createClientAddress(settings.trustedProxies);
  return {
    ingress: createIngress({ settings, bound, isOperator }),
    cookieName: cookie.name,
    rates: createRates({
      clock,
      addressOf: ({ raw }) => addressOf(raw),
      countsAll: !settings.isLocal,
    }),
    isOperator,
    isLocalOwner: identity.isLocalOwner,
    findSealRefusal: () => domains.keys.findRefusal() ?? domains.installation.findRefusal(),
    findWriteRefusal: domains.fence.findWriteRefusal,
    findCapabilityRefusal: (capability) => {
      if (capability === 'password_sign_in') return domains.signIn.findRefusal(capability);
      const isOn = capability === 'oidc_issuer' ? settings.oidcIssuer : settings.formHost;
      return isOn ? undefined : capabilityRefusal(capability);
    },
    findSession: identity.findSession,
    findBearer: findBearerIn([
      (token) => {
        const session = identity.findSession(token);
        return session && { kind: 'session', ...session };
      },
      tokens.findBearer,
      domains.issuer.findBearer,
    ]),
    noteUse: tokens.noteUse,
    concealed: { connectionId: connectionNotFound, space: spaceNotFound },
    findRoles: workspaces.findRoles,
    requireLive: workspaces.requireLive,
    workspaceOf: withoutDeleted(workspaces, {
      workspaceId: workspaces.findWorkspaceId,
      space: (space) => workspaces.findWorkspaceId(space) ?? workspaces.findByHandle(space),
      formResourceId: domains.formHost.findWorkspace,
      projectId: workspaces.findProjectWorkspace,
      runId: runs.findWorkspace,
      sourceId: sources.findWorkspace,
      connectionId: connections.findWorkspace,
      helperId: (id) => {
        oauth.requireHelper(id);
        return null;
      },
      reportId: inspection.findReportWorkspace,
      capsuleId: capsules.findWorkspace,
      capsuleConfigId: configs.findWorkspace,
      installConfigId: configs.findWorkspace,
      stateVersionId: states.findWorkspace,
      interfaceId: domains.interfaces.records.findWorkspace,
      shareId: shares.findGiver,
      offeredShareId: shares.findReceiver,
      dependencyId: dependencies.findWorkspace,
      runGroupId: domains.groups.findWorkspace,
      importId: domains.imports.findWorkspace,
      lateStateId: domains.lateStates.findWorkspace,
      copyId: domains.copies.findWorkspace,
      installPlanId: domains.installPlans.findWorkspace,
      revisionPlanId: domains.revisionPlans.findWorkspace,
    }),
  };
}

type WorkspaceLookups = GatePorts['workspaceOf'];

/** The records of a deleted Workspace do not exist, also while their rows are being removed. */
const withoutDeleted = (
  { findWorkspaceId }: Pick<Domains['workspaces'], 'findWorkspaceId'>,
  lookups: WorkspaceLookups,
): WorkspaceLookups =>
  Object.fromEntries(
    Object.entries(lookups).map(([name, find]) => [
      name,
      (id: string) => {
        const workspaceId = find(id);
        return typeof workspaceId === 'string' ? findWorkspaceId(workspaceId) : workspaceId;
      },
    ]),
  );

const failedBackupNote = 'The scheduled backup of the installation failed. Run groundctl doctor.';
/** Reports whether the fence lets this server write. */
function fenceChecks({ status, message, findWriteRefusal }: Domains['fence']) {
  const refusal = findWriteRefusal();
  if (refusal) return [{ name: 'fence', ok: false, note: refusal.message }];
  return status() === 'unknown' ? [{ name: 'fence', ok: true, ...present({ note: message() }) }] : [];
}

const behindNote = 'The replica of the ledger does not confirm the newest changes. Check the service of Litestream.';
const poolsOnlyNote =
  'This server has no tool: Runs of the pool `local` are refused, and those of other pools are not.';
const pausedNote = 'Restored from a backup. Scheduled work is off until its owner ends the pause.';

/** A server without a tool of its own is ready when machines of pools execute its Runs. */
async function runnerCheck(toolManager: AppParts['toolManager'], { runnerPools }: Pick<Domains, 'runnerPools'>) {
  if ((await toolManager.current()) !== undefined) return { name: 'runner', ok: true };
  return runnerPools.hasMachines() ? { name: 'runner', ok: true, note: poolsOnlyNote } : { name: 'runner', ok: false };
}

type Mounting = { mount: ReturnType<typeof createMount>; parts: AppParts; domains: Domains; metrics: Metrics };

function mountDiscovery({ mount, parts, domains }: Omit<Mounting, 'metrics'>): void {
  const { settings, toolManager, version, db, vault } = parts;
  discoveryRoutes(mount, {
    tables: tablesOf(parts),
    version,
    git: { loopbackHttp: settings.allowLoopbackGit, file: settings.allowLocalGit },
    releaseActivator: settings.releaseActivator !== undefined,
    formHost: settings.formHost,
    toolManager,
    ways: domains.signIn.ways,
    listOauthHelpers: domains.oauth.listHelpers,
    issuer: { isOn: settings.oidcIssuer, mobileClientId: settings.mobileOidcClientId },
    checks: async () => [
      { name: 'ledger', ok: db.sqlite.open },
      { name: 'vault', ok: vault.sealedBy === undefined },
      await runnerCheck(toolManager, domains),
      { name: 'disk', ok: freeBytes(settings.dataDir) >= leastFreeBytes },
      ...fenceChecks(domains.fence),
      // A paused installation answers requests: a person starts its work.
      ...(domains.installationBackupScheduler.find()?.failed
        ? [{ name: 'backup', ok: true, note: failedBackupNote }]
        : []),
      ...(domains.points.behindSince() === undefined ? [] : [{ name: 'replica_behind', ok: true, note: behindNote }]),
      ...(domains.pause.isPaused() ? [{ name: 'paused', ok: true, note: pausedNote }] : []),
    ],
  });
}

function mountDomains({ mount, parts, domains, metrics }: Mounting): void {
  const { settings, toolManager, db } = parts;
  mountDiscovery({ mount, parts, domains });
  identityRoutes(mount, { identity: domains.identity, cookie: parts.cookie, consents: domains.issuer.consents });
  signInRoutes(mount, domains, parts.cookie);
  activityRoutes(mount, domains.activity);
  keysRoutes(mount, domains.keys);
  fenceRoutes(mount, domains.fence);
  workspacesRoutes(mount, domains);
  tokensRoutes(mount, domains.tokens);
  membersRoutes(mount, domains.members);
  runsRoutes(mount, domains);
  usageRoutes(mount, domains.usage);
  sourcesRoutes(mount, domains);
  codeRoutes(mount, domains);
  connectionsRoutes(mount, domains);
  capsulesRoutes(mount, domains.capsules);
  runnerPoolsRoutes(mount, domains.runnerPools);
  stateVersionsRoutes(mount, domains.states);
  formPackagesRoutes(mount, domains.formPackages);
  formResourceRecordsRoutes(mount, domains.formHost);
  if (settings.formHost) {
    formHostRoutes(mount, domains.formHost);
    formCompatibilityRoutes(mount, domains.formHost);
  }
  interfacesRoutes(mount, { ...domains.interfaces, issueToken: domains.issuer.interfaceTokens.issue });
  outputSharesRoutes(mount, domains.shares);
  dependenciesRoutes(mount, domains.dependencies);
  installConfigsRoutes(mount, domains.configs);
  issuerRoutes(mount, {
    ...domains,
    cookieName: parts.cookie.name,
    nameOfWorkspace: (id) => domains.workspaces.getWorkspace(id).displayName,
  });
  providerBindingsRoutes(mount, { ...domains, findNextPlan: domains.plans.findNextPlan });
  plansRoutes(mount, { ...domains, toolManager });
  stateResourcesRoutes(mount, domains.stateResources);
  appliesRoutes(mount, { ...domains, toolManager });
  runGroupsRoutes(mount, { ...domains, toolManager });
  driftRoutes(mount, domains.drift);
  webhooksRoutes(mount, domains.webhooks);
  notificationsRoutes(mount, domains.notifications);
  installPlansRoutes(mount, domains.installPlans);
  revisionPlansRoutes(mount, domains.revisionPlans);
  configurationPlansRoutes(mount, { ...domains, toolManager });
  reAdoptionsRoutes(mount, domains.reAdoptions);
  restoresRoutes(mount, domains.restores);
  backupsRoutes(mount, domains);
  backupSchedulesRoutes(mount, domains.backupSchedules);
  copiesRoutes(mount, domains.copies);
  workspaceDeletionsRoutes(mount, domains.workspaceDeletions);
  importsRoutes(mount, domains.imports);
  lateStatesRoutes(mount, domains.lateStates);
  installationBackupsRoutes(mount, domains.installationBackups);
  exportsRoutes(mount, domains.exports);
  installationRoutes(mount, domains.installation);
  searchRoutes(mount, createSearchService(createSearchStore(db)));
  dashboardRoutes(mount, {
    views: createDashboardViews({ ...domains, elapsed: () => performance.now() }),
    attention: createAttention({
      clock: parts.clock,
      capsules: domains.capsules,
      cursors: domains.shared.cursors,
      store: createAttentionStore(db),
    }),
    sample: settings.allowLocalGit ? createSample(settings.dataDir) : undefined,
  });
  installLinkRoutes(mount);
  metricsRoutes(mount, metrics);
  issuerOperatorRoutes(mount, domains.issuer);
  interfacesOperatorRoutes(mount, { ...domains.interfaces, issueToken: domains.issuer.interfaceTokens.issue });
  operatorRoutes(mount, {
    ...domains,
    toolManager,
    operatorConfigs: createOperatorConfigs({ db, ...domains, edits: domains.configEdits }),
  });
}
