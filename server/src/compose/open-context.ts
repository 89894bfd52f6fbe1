import { homedir } from 'node:os';
import path from 'node:path';
import { copyLimits } from '#shared/limits';
import { copyFoldersOf } from '../domains/copies/index.ts';
import { createToolManager } from '../domains/execution/index.ts';
import { createCode } from '../drivers/code/index.ts';
import { createGit } from '../drivers/git/index.ts';
import { createJsonSchemas } from '../drivers/json-schema/index.ts';
import { createModuleCalls } from '../drivers/module-calls/index.ts';
import { createPackages } from '../drivers/packages/index.ts';
import { createScan } from '../drivers/scan/index.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { openDb } from '../kernel/db.ts';
import { productVersion } from '../kernel/entry.ts';
import { faultFields, type Log } from '../kernel/log.ts';
import type { Settings } from '../kernel/settings.ts';
import { createRunner, type RunnerOptions, startMessageChild } from '../runner/index.ts';
import { openKeys } from './key-host.ts';
import { installPinnedTool, locateTool, pinnedTool, toolCopiesDir } from './tool-host.ts';

export type ContextOptions = {
  settings: Settings;
  log: Log;
  clock?: Clock;
  /** Node and entry of the supervisors, when they differ from this program: the desktop keeps copies that an update does not change. */
  supervisor?: Required<Pick<RunnerOptions, 'nodePath' | 'entry'>>;
  /** For one person on one machine: stores a first key in the keychain of the system, when there is one. */
  prefersKeychain?: boolean;
};

/** Everything that the domains are built on, except the address of the server. */
export type OpenedContext = Awaited<ReturnType<typeof openContext>>;

/** Opens the ledger of a data folder, its keys and the drivers. Starts nothing. */
export async function openContext({
  settings,
  log,
  clock = systemClock,
  supervisor,
  prefersKeychain = false,
}: ContextOptions) {
  const { dataDir } = settings;
  const db = openDb(dataDir, (error) => log.error(faultFields(error), 'a listener failed after a commit'));
  const nodePath = supervisor?.nodePath ?? settings.supervisorNode ?? process.execPath;
  const keys = await openKeys(db, { settings, log, clock, prefersKeychain, nodePath }).catch((error: unknown) => {
    db.close();
    throw error;
  });
  const access = {
    allowLoopback: settings.allowLoopbackGit,
    allowLocal: settings.allowLocalGit,
    copiesDir: copyFoldersOf(dataDir).copies,
    ...(settings.caFile && { caFile: settings.caFile }),
    ...(settings.httpsProxy && { httpsProxy: settings.httpsProxy }),
  };
  const git = createGit({ processes: { start: startMessageChild, nodePath }, ...access });
  const runner = createRunner({
    standbyDir: path.join(dataDir, 'standby'),
    sharesNetwork: settings.shareNetwork,
    toolCopies: toolCopiesDir(process.env, homedir()),
    log: (message) => log.warn({}, message),
    ...(settings.supervisorNode && { nodePath: settings.supervisorNode }),
    ...supervisor,
  });
  const host = { dataDir, home: homedir(), env: process.env, settingPath: settings.toolPath };
  const toolManager = createToolManager({
    runner,
    find: () => locateTool(host),
    installTool: (onProgress) => installPinnedTool(host, onProgress),
    clock,
    log,
    buildsWithoutSandbox: settings.allowBuildsWithoutSandbox,
    insistence: { sandbox: settings.requireSandbox, isolatedNetwork: settings.requireIsolatedNetwork },
  });
  const pinnedToolVersion = pinnedTool().version;
  return {
    settings,
    db,
    clock,
    log,
    nodePath,
    ...keys,
    git,
    packages: createPackages({ git, access }),
    moduleCalls: createModuleCalls({ timeoutMs: copyLimits.assemblySeconds * 1_000 }),
    scan: createScan(),
    code: createCode(),
    schemas: createJsonSchemas(),
    runner,
    toolManager,
    pinnedToolVersion,
    version: productVersion(),
  };
}

/** Ends the drivers, and then closes the ledger. */
export async function closeContext(context: OpenedContext): Promise<void> {
  const { runner, git, packages, moduleCalls, scan, code, schemas } = context;
  await Promise.all([runner, git, packages, moduleCalls, scan, code, schemas].map((driver) => driver.close()));
  context.db.close();
}
