import type { GitUrlRules } from '#shared/sources/git-address';
import {
  createConnectionsService,
  createConnectionsStore,
  createGitTest,
  createMaterialCheck,
  createOauth,
  createOauthHelpers,
  createRecipeShelf,
} from '../domains/connections/index.ts';
import { entryFile } from '../kernel/entry.ts';
import { findBubblewrap, probeArgv, runTool } from '../runner/index.ts';
import type { Ground } from './app-context.ts';
import type { BaseRooms } from './base.ts';

/** What Connections ask of rooms above them. */
type ConnectionsAsk = {
  gitRules: GitUrlRules;
  findUrl: (connectionId: string) => string | undefined;
  nameOfCapsule: (capsuleId: string) => string;
  findDependents: (connectionId: string) => { queuedRuns: readonly string[]; capsules: readonly string[] };
  erase: <T>(work: () => T) => T;
};

/** Connections, and the sign-in in the browser that makes some of them. */
export function buildConnections(ground: Ground, base: BaseRooms, ask: ConnectionsAsk) {
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
    nameOfCapsule: ask.nameOfCapsule,
    receivedProfiles: new Set(settings.providerProfiles),
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
