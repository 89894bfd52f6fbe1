import { randomUUID, timingSafeEqual } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { VaultStatus } from '#shared/keys/contract';
import { sessionCookie, tokenPrefixes } from '#shared/vendor';
import { type App, createApp } from './compose/app.ts';
import { openKeys } from './compose/key-host.ts';
import { listen, readCertificate } from './compose/listen.ts';
import { installPinnedTool, locateTool, pinnedTool, toolCopiesDir } from './compose/tool-host.ts';
import { createToolbox } from './domains/deploys/index.ts';
import { newToken } from './domains/identity/index.ts';
import { createGit } from './drivers/git/index.ts';
import { createScan } from './drivers/scan/index.ts';
import { type Clock, systemClock } from './kernel/clock.ts';
import { lockDataDir, openDb } from './kernel/db.ts';
import { sha256Hex } from './kernel/digest.ts';
import { productVersion } from './kernel/entry.ts';
import { failpoint } from './kernel/failpoints.ts';
import { type Bound, endStreams } from './kernel/http/index.ts';
import { readInstallationId } from './kernel/installation.ts';
import { faultFields, type Log } from './kernel/log.ts';
import { guardDataFolder } from './kernel/private-folder.ts';
import { readOrMakeToken, removeRuntimeFile, writeRuntimeFile } from './kernel/runtime-files.ts';
import { Secret } from './kernel/secret.ts';
import type { Settings } from './kernel/settings.ts';
import { removeSignInPage } from './kernel/sign-in-page.ts';
import { StartError } from './kernel/start-error.ts';
import { createRunner, type RunnerOptions, startMessageChild } from './runner/index.ts';

export { createLog, type Log } from './kernel/log.ts';
export { defaultDataDir, readSettings, SettingError } from './kernel/settings.ts';
export { writeSignInPage } from './kernel/sign-in-page.ts';
export { StartError } from './kernel/start-error.ts';

export type RunningServer = {
  /** Origin the server answers at. */
  url: string;
  dataDir: string;
  operatorToken: string;
  /** A one-time sign-in link for the local owner; while the vault is sealed, the page that unseals it. */
  createSignInLink(): string;
  /** Where whoever sees the console gives the local owner a password; undefined when that is done, or there are none. */
  createSetupLink(): string | undefined;
  /** Where the key of the vault is kept, and why the vault is sealed when it is. */
  vault(): VaultStatus;
  /** Tries to open a sealed vault: with a passphrase, or by asking the keychain or key file again. Throws for a wrong passphrase. */
  unseal(passphrase?: string): Promise<VaultStatus>;
  close(): Promise<void>;
};
export type StartOptions = {
  settings: Settings;
  log: Log;
  clock?: Clock;
  /** Where supervisors run when it is not this program and its own files: the desktop keeps copies that an update leaves alone. */
  supervisor?: Required<Pick<RunnerOptions, 'nodePath' | 'entry'>>;
  /** For one person at one machine: a first key goes to the keychain of the system, where there is one. */
  prefersKeychain?: boolean;
};

/** The one door of the server: the desktop, the command line and the tests all come in here. Throws `StartError`. */
export async function startServer(options: StartOptions): Promise<RunningServer> {
  process.umask(0o077);
  const { dataDir, unknownNames } = options.settings;
  guardDataFolder(dataDir);
  refuseOidcClients(dataDir);
  if (unknownNames.length > 0)
    options.log.warn({ names: unknownNames }, 'unknown settings in the environment are ignored; check their spelling');
  const lock = lockDataDir(dataDir);
  if (!lock)
    throw new StartError('Another server already uses this data folder. Its address stands in runtime.json there.');
  const endings: Ending[] = [() => lock.release(), () => removeRuntimeFile(dataDir), () => removeSignInPage(dataDir)];
  let closing: Promise<void> | undefined;
  const endAll = async () => {
    for (const end of endings.reverse()) await end();
  };
  const close = () => {
    closing ??= endAll();
    return closing;
  };
  try {
    return { ...(await serve(options, endings)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Clients of an issuer that this version does not have would be refused one by one; an empty list is fine. */
function refuseOidcClients(dataDir: string): void {
  const file = path.join(dataDir, 'oidc-clients.json');
  const info = statSync(file, { throwIfNoEntry: false });
  if (info === undefined) return;
  const isEmptyList = info.isFile() && info.size < 1_024 && /^\s*\[\s*\]\s*$/.test(readFileSync(file, 'utf8'));
  if (isEmptyList) return;
  throw new StartError(
    'The data folder has an `oidc-clients.json`, but this version does not include an OpenID Connect issuer. Remove the file.',
  );
}

/** What has to be undone of a start, in the order it was begun. */
type Ending = () => void | Promise<void>;

async function serve(
  { settings, log, clock = systemClock, supervisor, prefersKeychain = false }: StartOptions,
  endings: Ending[],
): Promise<Omit<RunningServer, 'close'>> {
  const { dataDir } = settings;
  const startedAt = clock.now();
  const bound: Bound = { baseUrl: settings.publicUrl ?? 'http://127.0.0.1', port: 0, operatorPort: undefined };
  failpoint('start.locked');
  const ground = await openGround(settings, { log, clock, supervisor, prefersKeychain });
  failpoint('start.migrated');
  endings.push(async () => {
    await Promise.all([ground.runner.close(), ground.git.close(), ground.scan.close()]);
    ground.db.close();
  });
  // Found while the rest starts; whoever asks later waits for the same answer.
  ground.toolbox.current().catch((error) => log.warn(faultFields(error), 'the tool could not be probed'));
  const operatorToken =
    settings.operatorToken ??
    readOrMakeToken(path.join(dataDir, 'operator-token'), () => newToken(tokenPrefixes.operator));
  const app = composeApp(ground, { operatorToken, bound, tls: readCertificate(settings) });
  const isSealed = ground.vault.sealedBy !== undefined;
  if (!isSealed) prepareLedger(app, ground);
  const { runs, queue, schedule, updates, expiry, planExpiry, caretaker, identity, signIn, keys } = app.rooms;
  endings.push(async () => {
    expiry.stop();
    planExpiry.stop();
    schedule.stop();
    await Promise.all([queue.stop(), updates.stop(), keys.stop(), caretaker.stop()]);
  });
  endings.push(async () => {
    runs.endWaits();
    endStreams();
    await app.http.close();
    app.metrics.close();
  });
  const operatorUrl = await listen(app.http, { settings, bound, endings });
  const url = bound.baseUrl;
  failpoint('start.listening');
  await ground.runner.endAllLeftovers(path.join(dataDir, 'capsules'));
  ground.runner.warm();
  // While the vault is sealed nothing is queued, run or taken over; a supervisor that runs goes on.
  keys.start(() => {
    if (isSealed) prepareLedger(app, ground);
    queue.start();
    failpoint('start.resumed');
    expiry.start();
    planExpiry.start();
    schedule.start();
    updates.start();
    caretaker.start();
  });
  writeRuntimeFile(dataDir, {
    pid: process.pid,
    url,
    ...(operatorUrl !== undefined && { operatorUrl }),
    startedAt: new Date(startedAt).toISOString(),
    version: ground.version,
  });
  failpoint('start.ready');
  const { sealedBy } = ground.vault;
  if (sealedBy) log.warn({ url, dataDir, reason: sealedBy.reason }, `ready, and sealed: ${sealedBy.message}`);
  else log.info({ url, dataDir }, 'ready');
  return {
    url,
    dataDir,
    operatorToken,
    createSignInLink: () => (ground.vault.sealedBy ? `${url}/unseal` : identity.createLink(undefined, url).url),
    createSetupLink: () => (ground.vault.sealedBy ? undefined : signIn.setupLink(url)),
    vault: keys.status,
    async unseal(passphrase) {
      await keys.unseal(passphrase === undefined ? undefined : new Secret(passphrase), 'operator');
      return keys.status();
    },
  };
}

function composeApp(
  ground: Awaited<ReturnType<typeof openGround>>,
  {
    operatorToken,
    bound,
    tls,
  }: { operatorToken: string; bound: Bound; tls: { cert: string; key: string } | undefined },
): App {
  const operatorHash = Buffer.from(sha256Hex(operatorToken));
  const secure = ground.settings.publicUrl?.startsWith('https:') ?? tls !== undefined;
  const folderId = readInstallationId(ground.db, randomUUID);
  return createApp({
    ...ground,
    isOperator: (token) => timingSafeEqual(Buffer.from(sha256Hex(token)), operatorHash),
    cookie: { name: secure ? sessionCookie : `${sessionCookie}_${folderId.slice(0, 8)}`, secure },
    tls,
    bound,
  });
}

type Surroundings = {
  log: Log;
  clock: Clock;
  supervisor: StartOptions['supervisor'];
  prefersKeychain: boolean;
};

async function openGround(settings: Settings, { log, clock, supervisor, prefersKeychain }: Surroundings) {
  const { dataDir } = settings;
  const db = openDb(dataDir, (error) => log.error(faultFields(error), 'a listener failed after a commit'));
  const nodePath = supervisor?.nodePath ?? settings.supervisorNode ?? process.execPath;
  const keys = await openKeys(db, { settings, log, clock, prefersKeychain, nodePath }).catch((error: unknown) => {
    db.close();
    throw error;
  });
  const git = createGit({
    processes: { start: startMessageChild, nodePath },
    allowLoopback: settings.allowLoopbackGit,
    allowLocal: settings.allowLocalGit,
    ...(settings.caFile && { caFile: settings.caFile }),
    ...(settings.httpsProxy && { httpsProxy: settings.httpsProxy }),
  });
  const runner = createRunner({
    standbyDir: path.join(dataDir, 'standby'),
    sharesNetwork: settings.shareNetwork,
    toolCopies: toolCopiesDir(process.env, homedir()),
    log: (message) => log.warn({}, message),
    ...(settings.supervisorNode && { nodePath: settings.supervisorNode }),
    ...supervisor,
  });
  const host = { dataDir, home: homedir(), env: process.env, settingPath: settings.toolPath };
  const toolbox = createToolbox({
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
    scan: createScan(),
    runner,
    toolbox,
    pinnedToolVersion,
    version: productVersion(),
  };
}

/** What every ledger holds from its first start: the local owner with a Workspace, and the configuration of plain modules. */
function prepareLedger({ rooms }: App, { settings, log }: { settings: Settings; log: Log }): void {
  const { subject } = rooms.identity.ensureLocalOwner();
  if (settings.ownerEmail !== undefined && !rooms.identity.nameLocalOwner(settings.ownerEmail))
    log.warn({}, 'another account has the e-mail of GROUNDCTL_OWNER_EMAIL, so the local owner did not get it');
  rooms.workspaces.ensureMainWorkspace(subject);
  rooms.configs.ensureGeneric();
}
