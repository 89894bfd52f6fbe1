import { existsSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { retiredRoutes } from '#shared/retired';
import { unbuiltRoutes } from '#shared/unbuilt';
import { activityRoutes } from '../domains/activity/index.ts';
import { backupsRoutes } from '../domains/backups/index.ts';
import { bindingsRoutes } from '../domains/bindings/index.ts';
import { capsulesRoutes } from '../domains/capsules/index.ts';
import { configsRoutes } from '../domains/configs/index.ts';
import { connectionNotFound, connectionsRoutes } from '../domains/connections/index.ts';
import { coordinatorsRoutes } from '../domains/coordinators/index.ts';
import {
  contentSecurityPolicy,
  createDashboardViews,
  dashboardRoutes,
  installLinkRoutes,
  readPage,
} from '../domains/dashboard/index.ts';
import { dependenciesRoutes } from '../domains/dependencies/index.ts';
import { deploysRoutes } from '../domains/deploys/index.ts';
import { discoveryRoutes } from '../domains/discovery/index.ts';
import { groupsRoutes } from '../domains/groups/index.ts';
import { identityRoutes } from '../domains/identity/index.ts';
import { interfacesRoutes } from '../domains/interfaces/index.ts';
import { keysRoutes } from '../domains/keys/index.ts';
import {
  createMetrics,
  createOperatorConfigs,
  type Metrics,
  metricsRoutes,
  operatorRoutes,
} from '../domains/operator/index.ts';
import { runsRoutes } from '../domains/runs/index.ts';
import { sharesRoutes } from '../domains/shares/index.ts';
import { signInRoutes } from '../domains/signin/index.ts';
import { sourcesRoutes } from '../domains/sources/index.ts';
import { statesRoutes } from '../domains/states/index.ts';
import { tokensRoutes } from '../domains/tokens/index.ts';
import { usageRoutes } from '../domains/usage/index.ts';
import { membersRoutes, workspacesRoutes } from '../domains/workspaces/index.ts';
import { freeBytes, leastFreeBytes } from '../kernel/disk.ts';
import { pagesDir } from '../kernel/entry.ts';
import {
  type Bound,
  createClientAddress,
  createFront,
  createHttp,
  createMount,
  createRates,
  createReceipts,
  findBearerIn,
  type GatePorts,
  installGate,
  installNotFound,
  installObserver,
  installStaticFiles,
  mountRetired,
  mountUnbuilt,
  unbuiltRefusal,
} from '../kernel/http/index.ts';
import type { Ground } from './app-context.ts';
import { buildRooms, type Rooms } from './domains.ts';
import { tables } from './tables.ts';

export type AppParts = Ground & {
  version: string;
  isOperator: (token: string) => boolean;
  cookie: { name: string; secure: boolean };
  /** PEM texts of the server's own certificate. */
  tls: { cert: string; key: string } | undefined;
  /** Where the server is reached; known once it listens. */
  bound: Bound;
};
export type App = { http: FastifyInstance; rooms: Rooms; metrics: Metrics };

/** Composes the whole server: rooms, gate, routes. */
export function createApp(parts: AppParts): App {
  const { db, clock, log, vault } = parts;
  const rooms = buildRooms(parts);
  const http = createHttp(log, { secure: parts.cookie.secure, ...(parts.tls && { tls: parts.tls }) });
  const gate = gateOf(parts, rooms);
  installGate(http, gate);
  const receipts = createReceipts(db, clock, () => vault.installationKey('receipts'));
  receipts.sweep();
  const mount = createMount(http, { db, receipts, gate });
  const metrics = createMetrics({ ...parts, runs: rooms.runs, dataDir: parts.settings.dataDir });
  installObserver(http, metrics.observeRequest);
  mountRooms({ mount, parts, rooms, metrics });
  mountRetired(http, retiredRoutes);
  mountUnbuilt(http);
  if (existsSync(pagesDir())) installStaticFiles(http, pagesDir());
  installNotFound(http, {
    tables: [...tables, unbuiltRoutes],
    page: {
      html: readPage(parts.settings.isLocal ? parts.settings.dataDir : undefined),
      policy: contentSecurityPolicy,
    },
    front: gate.front,
  });
  return { http, rooms, metrics };
}

function gateOf({ bound, isOperator, cookie, clock, settings }: AppParts, rooms: Rooms): GatePorts {
  const { identity, workspaces, tokens, runs, sources, inspection, capsules, configs, states, coordinators } = rooms;
  const { connections, oauth, shares, dependencies } = rooms;
  const addressOf = createClientAddress(settings.trustedProxies);
  return {
    front: createFront({ settings, bound, isOperator }),
    cookieName: cookie.name,
    rates: createRates({
      clock,
      addressOf: ({ raw }) => addressOf(raw),
      countsAll: !settings.isLocal,
    }),
    isOperator,
    isLocalOwner: identity.isLocalOwner,
    findSealRefusal: rooms.keys.findRefusal,
    findWriteRefusal: () => undefined,
    findCapabilityRefusal: (capability) =>
      capability === 'password_sign_in' ? rooms.signIn.findRefusal(capability) : unbuiltRefusal(capability),
    findSession: identity.findSession,
    findBearer: findBearerIn([
      (token) => {
        const session = identity.findSession(token);
        return session && { kind: 'session', ...session };
      },
      tokens.findBearer,
    ]),
    noteUse: tokens.noteUse,
    concealed: { connectionId: connectionNotFound },
    findRoles: workspaces.findRoles,
    requireLive: workspaces.requireLive,
    workspaceOf: {
      workspaceId: workspaces.findWorkspaceId,
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
      shareId: shares.findGiver,
      offeredShareId: shares.findReceiver,
      dependencyId: dependencies.findWorkspace,
      runGroupId: rooms.groups.findWorkspace,
      installPlanId: coordinators.findWorkspace,
      revisionPlanId: rooms.revisions.findWorkspace,
    },
  };
}

type Mounting = { mount: ReturnType<typeof createMount>; parts: AppParts; rooms: Rooms; metrics: Metrics };

function mountRooms({ mount, parts, rooms, metrics }: Mounting): void {
  const { settings, toolbox, version, db, vault } = parts;
  discoveryRoutes(mount, {
    tables,
    version,
    git: { loopbackHttp: settings.allowLoopbackGit, file: settings.allowLocalGit },
    toolbox,
    ways: rooms.signIn.ways,
    listOauthHelpers: rooms.oauth.listHelpers,
    checks: async () => [
      { name: 'ledger', ok: db.sqlite.open },
      { name: 'vault', ok: vault.sealedBy === undefined },
      { name: 'runner', ok: (await toolbox.current()) !== undefined },
      { name: 'disk', ok: freeBytes(settings.dataDir) >= leastFreeBytes },
    ],
  });
  identityRoutes(mount, rooms.identity, parts.cookie);
  signInRoutes(mount, rooms, parts.cookie);
  activityRoutes(mount, rooms.activity);
  keysRoutes(mount, rooms.keys);
  workspacesRoutes(mount, rooms);
  tokensRoutes(mount, rooms.tokens);
  membersRoutes(mount, rooms.members);
  runsRoutes(mount, rooms);
  usageRoutes(mount, rooms.usage);
  sourcesRoutes(mount, rooms);
  connectionsRoutes(mount, rooms);
  capsulesRoutes(mount, rooms.capsules);
  statesRoutes(mount, rooms.states);
  interfacesRoutes(mount, rooms.shared);
  sharesRoutes(mount, rooms.shares);
  dependenciesRoutes(mount, rooms.dependencies);
  configsRoutes(mount, rooms.configs);
  bindingsRoutes(mount, { ...rooms, findNextPlan: rooms.deploys.findNextPlan });
  deploysRoutes(mount, { ...rooms, toolbox });
  groupsRoutes(mount, { ...rooms, toolbox });
  coordinatorsRoutes(mount, { ...rooms, toolbox });
  backupsRoutes(mount, { capsules: rooms.capsules, cursors: rooms.shared.cursors });
  dashboardRoutes(mount, createDashboardViews({ ...rooms, elapsed: () => performance.now() }));
  installLinkRoutes(mount);
  metricsRoutes(mount, metrics);
  operatorRoutes(mount, {
    ...rooms,
    toolbox,
    operatorConfigs: createOperatorConfigs({ db, ...rooms, edits: rooms.configEdits }),
  });
}
