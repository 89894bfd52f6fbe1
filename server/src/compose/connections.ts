import { runCredentialLimits } from '#shared/limits';
import type { GitUrlRules } from '#shared/sources/git-address';
import {
  createConnectionsService,
  createConnectionsStore,
  createCredentialServices,
  createGitTest,
  createIssuanceStore,
  createMaterialCheck,
  createOauth,
  createOauthHelpers,
  createRecipeRegistry,
  createRegistryTest,
  createStorageTest,
} from '../domains/connections/index.ts';
import { guardedLookup } from '../drivers/git/index.ts';
import { entryFile } from '../kernel/entry.ts';
import { findBubblewrap, probeArgv, runTool } from '../runner/index.ts';
import type { AppContext } from './app-context.ts';
import type { BaseDomains } from './base.ts';
import { openStoreOf } from './object-stores.ts';

/** Functions of higher domains that Connections call. */
type ConnectionsPorts = {
  gitRules: GitUrlRules;
  findUrl: (connectionId: string) => string | undefined;
  nameOfCapsule: (capsuleId: string) => string;
  findDependents: (connectionId: string) => { queuedRuns: readonly string[]; capsules: readonly string[] };
  erase: <T>(work: () => T) => T;
};

/** Builds Connections, and the browser sign-in that creates some of them. */
export function buildConnections(context: AppContext, base: BaseDomains, ports: ConnectionsPorts) {
  const { settings, db, clock, log, vault, git, packages } = context;
  const { shared, activity, identity, workspaces, runs, unattendedGate } = base;
  const recipes = createRecipeRegistry({ dataDir: settings.dataDir, log });
  const bubblewrap = findBubblewrap();
  const connections = createConnectionsService({
    ...shared,
    store: createConnectionsStore(db),
    vault,
    activity,
    workspaces,
    log,
    unattendedGate,
    recipes,
    services: createCredentialServices({ dataDir: settings.dataDir, log }),
    issuances: createIssuanceStore(db),
    outgoing: settings,
    lookup: guardedLookup(ports.gitRules),
    host: {
      timeoutMs: context.credentialAnswerMs ?? runCredentialLimits.answerMs,
      maxBytes: runCredentialLimits.answerBytes,
    },
    gitRules: ports.gitRules,
    erase: ports.erase,
    findDependents: ports.findDependents,
    nameOfCapsule: ports.nameOfCapsule,
    receivedProfiles: new Set(settings.providerProfiles),
    isRunLive: (runId) => runs.findWorkspace(runId) !== undefined && runs.getRecord(runId).status === 'running',
    checkMaterial: createMaterialCheck({
      run: runTool,
      nodePath: context.nodePath,
      entry: entryFile('connection-check'),
      wallIn: (binds, command) =>
        bubblewrap === undefined ? undefined : { file: bubblewrap, argv: probeArgv({ binds, command }) },
      requireSandbox: settings.requireSandbox,
    }),
    testGit: createGitTest({ git, findUrl: ports.findUrl }),
    testRegistry: createRegistryTest(packages),
    testStorage: createStorageTest(openStoreOf(settings, ports.gitRules)),
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
