import { randomUUID, timingSafeEqual } from 'node:crypto';
import path from 'node:path';
import type { OwnerNotice, OwnerWork } from '#shared/dashboard/owner-work';
import type { VaultStatus } from '#shared/keys/contract';
import { sessionCookie, tokenPrefixes } from '#shared/vendor';
import { type App, createApp } from './compose/app.ts';
import { startWork, stopWork } from './compose/background-work.ts';
import { buildDomains } from './compose/domains.ts';
import { watchTerm } from './compose/fence.ts';
import { listen, readCertificate } from './compose/listen.ts';
import { type ContextOptions, closeContext, type OpenedContext, openContext } from './compose/open-context.ts';
import { buildOwnerWatch } from './compose/owner-watch.ts';
import { newToken } from './domains/identity/index.ts';
import { systemClock } from './kernel/clock.ts';
import { type Db, lockDataDir } from './kernel/db.ts';
import { sha256Hex } from './kernel/digest.ts';
import { failpoint } from './kernel/failpoints.ts';
import { type Bound, endStreams } from './kernel/http/index.ts';
import { readInstallationId } from './kernel/installation.ts';
import { faultFields, type Log } from './kernel/log.ts';
import { findRunRefusal } from './kernel/platforms.ts';
import { guardDataFolder } from './kernel/private-folder.ts';
import { type RuntimeFile, readOrMakeToken, removeRuntimeFile, writeRuntimeFile } from './kernel/runtime-files.ts';
import { Secret } from './kernel/secret.ts';
import type { Settings } from './kernel/settings.ts';
import { removeSignInPage } from './kernel/sign-in-page.ts';
import { StartError } from './kernel/start-error.ts';

export { findSupervisedRuns, installedProduct } from './compose/update.ts';
export {
  fetchRelease,
  type Installed,
  judgeRelease,
  type ReleaseChannel,
  type ReleaseRecord,
  type ReleaseVerdict,
  readReleaseChannel,
} from './drivers/releases/index.ts';
export { requireKnownLedger } from './kernel/db.ts';
export { copyStoppedLedger } from './kernel/ledger-copy.ts';
export { createLog, type Log } from './kernel/log.ts';
export { defaultDataDir, readSettings, SettingError } from './kernel/settings.ts';
export { writeSignInPage } from './kernel/sign-in-page.ts';
export { StartError } from './kernel/start-error.ts';

export type RunningServer = {
  /** Origin of the server. */
  url: string;
  dataDir: string;
  operatorToken: string;
  /** Returns a one-time sign-in link for the local owner; while the vault is sealed, the page that unseals it. */
  createSignInLink(): string;
  /** Returns a link to set the local owner's password, for the person at the console; undefined when it is set or not used. */
  createSetupLink(): string | undefined;
  /** Reports whether no recovery kit was made or declined yet. */
  lacksRecoveryKit(): boolean;
  /** Resolves with a sentence when another server was promoted, so that this one must end. */
  superseded: Promise<string>;
  /** Returns where the key of the vault is stored, and the reason when the vault is sealed. */
  vault(): VaultStatus;
  /** Tries to open a sealed vault: with a passphrase, or by asking the keychain or key file again. Throws for a wrong passphrase. */
  unseal(passphrase?: string): Promise<VaultStatus>;
  /** Calls back with the work of the local owner at once, and with each change. Returns the function that unsubscribes. */
  followWork(follower: (work: OwnerWork) => void): () => void;
  /** Calls back with each event that the local owner wants to be notified of. */
  onNotice(listener: (notice: OwnerNotice) => void): () => void;
  close(): Promise<void>;
};
export type StartOptions = ContextOptions & {
  /** The desktop around the server, for commands that show it. */
  desktop?: RuntimeFile['desktop'];
};

/** Starts the server. The desktop, the command line and the tests all use it. Throws `StartError`. */
export async function startServer(options: StartOptions): Promise<RunningServer> {
  process.umask(0o077);
  const { dataDir, unknownNames } = options.settings;
  guardDataFolder(dataDir);
  if (unknownNames.length > 0)
    options.log.warn({ names: unknownNames }, 'unknown settings in the environment are ignored; check their spelling');
  const lock = lockDataDir(dataDir);
  if (!lock)
    throw new StartError('Another server already uses this data folder. Stop it, or use its address in runtime.json.');
  const cleanups: Ending[] = [() => lock.release(), () => removeRuntimeFile(dataDir), () => removeSignInPage(dataDir)];
  let closing: Promise<void> | undefined;
  const endAll = async () => {
    for (const end of cleanups.reverse()) await end();
  };
  const close = () => {
    closing ??= endAll();
    return closing;
  };
  try {
    return { ...(await serve(options, cleanups)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Domains of a data folder on which no server runs. */
export type StoppedFolder = { db: Db; domains: App['domains']; close(): Promise<void> };

/**
 * Opens a stopped data folder for one command: without HTTP, and nothing that waits there is started. Throws `StartError`
 * when a server uses the folder, or when its key is not available.
 */
export async function openStoppedFolder({ settings, log, clock = systemClock }: StartOptions): Promise<StoppedFolder> {
  process.umask(0o077);
  const { dataDir } = settings;
  guardDataFolder(dataDir);
  const lock = lockDataDir(dataDir);
  if (!lock) throw new StartError('A server uses this data folder. Repeat the command, which then asks that server.');
  const cleanups: Ending[] = [() => lock.release()];
  const close = async () => {
    for (const end of cleanups.splice(0).reverse()) await end();
  };
  try {
    const context = await openContext({ settings, log, clock });
    cleanups.push(() => closeContext(context));
    const { sealedBy } = context.vault;
    if (sealedBy) throw new StartError(`The states cannot be read without their key. ${sealedBy.message}`);
    const bound: Bound = { baseUrl: 'http://127.0.0.1', port: 0, operatorPort: undefined };
    return { db: context.db, domains: buildDomains({ ...context, bound }), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Cleanup of a started part, in start order. */
type Ending = () => void | Promise<void>;

async function serve(
  { settings, log, clock = systemClock, desktop, ...opening }: StartOptions,
  cleanups: Ending[],
): Promise<Omit<RunningServer, 'close'>> {
  const { dataDir } = settings;
  const startedAt = clock.now();
  const bound: Bound = { baseUrl: settings.publicUrl ?? 'http://127.0.0.1', port: 0, operatorPort: undefined };
  failpoint('start.locked');
  const context = await openContext({ settings, log, clock, ...opening });
  failpoint('start.migrated');
  cleanups.push(() => closeContext(context));
  const refusal = findRunRefusal();
  if (refusal !== undefined) log.warn({}, refusal);
  // Located while the rest starts; later callers share the same promise.
  const tool = context.toolManager
    .current()
    .catch((error: unknown) => log.warn(faultFields(error), 'the tool could not be probed'));
  const operatorToken =
    settings.operatorToken ??
    readOrMakeToken(path.join(dataDir, 'operator-token'), () => newToken(tokenPrefixes.operator));
  const app = composeApp(context, { operatorToken, bound, tls: readCertificate(settings) });
  const isSealed = context.vault.sealedBy !== undefined;
  if (!isSealed) prepareLedger(app, context);
  const watch = buildOwnerWatch(context, app.domains);
  cleanups.push(watch.stop);
  const { runs, identity, signIn, keys, fence, formPackages } = app.domains;
  cleanups.push(() => stopWork(app.domains));
  cleanups.push(async () => {
    runs.endWaits();
    endStreams();
    await app.http.close();
    app.metrics.close();
  });
  // Before the first request, which would otherwise write for a server that the fence does not name.
  await fence.start();
  const superseded = watchTerm(fence, settings);
  if (settings.formHost) await formPackages.reread();
  const operatorUrl = await listen(app.http, { settings, bound, cleanups });
  const url = bound.baseUrl;
  failpoint('start.listening');
  await context.runner.endAllLeftovers(path.join(dataDir, 'capsules'));
  // Without a tool no Run starts, so no supervisor waits for one.
  void tool.then((found) => found && context.runner.warm());
  // While the vault is sealed nothing is queued, started or adopted. Running supervisors continue.
  keys.start(() => {
    if (isSealed) prepareLedger(app, context);
    startWork(app.domains);
    watch.refresh();
  });
  writeRuntimeFile(dataDir, {
    pid: process.pid,
    url,
    ...(operatorUrl !== undefined && { operatorUrl }),
    startedAt: new Date(startedAt).toISOString(),
    version: context.version,
    ...(desktop && { desktop }),
  });
  failpoint('start.ready');
  const { sealedBy } = context.vault;
  if (sealedBy) log.warn({ url, dataDir, reason: sealedBy.reason }, `ready, and sealed: ${sealedBy.message}`);
  else log.info({ url, dataDir }, 'ready');
  return {
    url,
    dataDir,
    operatorToken,
    superseded,
    createSignInLink: () => (context.vault.sealedBy ? `${url}/sign-in` : identity.createLink({}, url).url),
    createSetupLink: () => (context.vault.sealedBy ? undefined : signIn.setupLink(url)),
    followWork: watch.follow,
    onNotice: watch.onNotice,
    lacksRecoveryKit: () => !context.vault.sealedBy && keys.recoveryKit().state === 'none',
    vault: keys.status,
    async unseal(passphrase) {
      await keys.unseal(passphrase === undefined ? undefined : new Secret(passphrase), 'operator');
      return keys.status();
    },
  };
}

function composeApp(
  context: OpenedContext,
  {
    operatorToken,
    bound,
    tls,
  }: { operatorToken: string; bound: Bound; tls: { cert: string; key: string } | undefined },
): App {
  const operatorHash = Buffer.from(sha256Hex(operatorToken));
  const secure = context.settings.publicUrl?.startsWith('https:') ?? tls !== undefined;
  const folderId = readInstallationId(context.db, randomUUID);
  return createApp({
    ...context,
    isOperator: (token) => timingSafeEqual(Buffer.from(sha256Hex(token)), operatorHash),
    cookie: { name: secure ? sessionCookie : `${sessionCookie}_${folderId.slice(0, 8)}`, secure },
    tls,
    bound,
  });
}

/** Creates the records of every ledger at its first start: the local owner with a Workspace, and the configuration of plain modules. */
function prepareLedger({ domains }: App, { settings, log }: { settings: Settings; log: Log }): void {
  domains.firstStart();
  const { subject } = domains.identity.ensureLocalOwner();
  if (settings.ownerEmail !== undefined && !domains.identity.nameLocalOwner(settings.ownerEmail))
    log.warn({}, 'another account has the e-mail of GROUNDCTL_OWNER_EMAIL, so the local owner did not get it');
  domains.workspaces.ensureMainWorkspace(subject);
  domains.configs.ensureGeneric();
}
