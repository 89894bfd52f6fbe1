import { setTimeout } from 'node:timers/promises';
import { app, type BrowserWindow, dialog, session, shell } from 'electron';
import { type RunningServer, writeSignInPage } from '#server/index';
import type { VaultStatus } from '#shared/keys/contract';
import { type Background, hasTray, isHiddenStart, nameProgram, startBackground } from './background/index.ts';
import type { SettingItems } from './background/tray-menu.ts';
import { registerOpened } from './deep-link.ts';
import { endOnFault, endSuperseded, showStartFailure } from './fault.ts';
import { installIpc } from './ipc.ts';
import { installMenu, type MenuActions } from './menu.ts';
import { guardSession } from './navigation.ts';
import { findOpenedPage, pageOfOpened } from './opened-page.ts';
import { logFile, openLog, startHost } from './server-host.ts';
import { createServers, type Servers } from './servers/index.ts';
import { claimSingleInstance } from './single-instance.ts';
import { texts } from './texts.ts';
import { createDesktopUpdates, type DesktopUpdates } from './update/desktop-updates.ts';
import { openWindow, showWindow } from './window.ts';

/** Time after which a server that does not stop is abandoned; its recorded data is safe. */
const closeMs = 15_000;

let window: BrowserWindow | undefined;
let server: RunningServer | undefined;
let background: Background | undefined;
let servers: Servers | undefined;
let updates: DesktopUpdates | undefined;
let settings: SettingItems = [];
/** Page to show when the window opens: one that was opened before, or that of the window that was closed. */
let nextPage = findOpenedPage(process.argv, app.getAppPath());
/** True once a window has signed in. */
let wasOpened = false;
/** `soon` while the server ends, `now` when it has. */
let quitting: 'no' | 'soon' | 'now' = 'no';

app.enableSandbox();
nameProgram(app, process.platform);
const isFirst = claimSingleInstance((_event, argv) => {
  if (!isHidden(argv)) showOpened(findOpenedPage(argv, app.getAppPath()));
});
if (isFirst) void start();

async function start(): Promise<void> {
  const log = openLog();
  const createReport = () => ({ t: texts(), logFile: logFile() });
  endOnFault(log, createReport);
  // The terminal that started this process may have been closed since.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  app.on('window-all-closed', () => background?.staysWithoutWindow() || app.quit());
  app.on('activate', () => show());
  app.on('before-quit', closeFirst);
  registerOpened((opened) => showOpened(pageOfOpened(opened)));
  await app.whenReady();
  try {
    server = await startHost(log);
  } catch (error) {
    showStartFailure(error, createReport());
    return app.exit(1);
  }
  void endSuperseded(server, { stop: stopServer, createReport }).then(() => app.quit());
  guardSession(session.defaultSession, server.url);
  installIpc(server.url, {
    'desktop:open-folder': chooseFolder,
    'desktop:new-sign-in-link': () => signInLink(),
    'desktop:version': () => app.getVersion(),
    'desktop:unseal': unseal,
  });
  const updating = createDesktopUpdates({ log, dataDir: server.dataDir, window: () => window, stopServer });
  updates = updating;
  const actions: MenuActions = {
    checkForUpdates: () => void updating.check(),
    about: () => void updating.showAbout(),
    install: () => show('/new'),
    openInBrowser: () => servers?.openFocusedInBrowser() || shell.openExternal(signInPage()).catch(() => undefined),
    signInAgain: () => go(signInLink()),
    back: () => shownContents()?.navigationHistory.goBack(),
    forward: () => shownContents()?.navigationHistory.goForward(),
    reload: () => shownContents()?.reload(),
    showLog: () => shell.showItemInFolder(logFile()),
  };
  const refreshMenu = () => {
    if (servers) installMenu({ t: texts(), actions, servers: servers.menu(), settings });
  };
  servers = createServers({ localOrigin: server.url, showLocal: show, onChange: refreshMenu });
  background = startBackground({
    server,
    actions: { open: show, quit: () => app.quit() },
    findWindow: () => window,
    isQuitting: () => quitting !== 'no',
    isUpdatable: updating.isUpdatable,
    showSettings: (items) => {
      settings = items;
      refreshMenu();
    },
  });
  // The person chooses the server of a link first.
  if (servers.takeLink(nextPage)) nextPage = undefined;
  if (!isHidden(process.argv) || nextPage !== undefined) show();
  else if (!hasTray()) open({ isMinimized: true });
}

/** Page of the focused window; by default that of this machine. */
const shownContents = () => servers?.focusedContents() ?? window?.webContents;

/** Shows what the system opened; the person chooses the server of an install link, if there are several. */
function showOpened(page: string | undefined): void {
  if (!servers?.takeLink(page)) show(page);
}

const isHidden = (argv: readonly string[]): boolean => isHiddenStart(argv, { app, platform: process.platform });

/**
 * Shows a page and does nothing else with what named it. Without a page the window comes to the front, or opens again
 * where it was closed.
 */
function show(page?: string): void {
  nextPage = page ?? nextPage;
  if (!server) return;
  if (window) {
    if (nextPage !== undefined) window.loadURL(server.url + nextPage).catch(() => undefined);
    nextPage = undefined;
    showWindow(window);
  } else open({ isMinimized: false });
}

/** Opens the window: the first one signs in, and a later one uses that session. */
function open({ isMinimized }: { isMinimized: boolean }): void {
  if (!server) return;
  const address = wasOpened ? server.url + (nextPage ?? '/') : signInLink(nextPage);
  const opened = openWindow({ origin: server.url, address, isMinimized });
  if (!wasOpened && background?.checksForUpdates()) opened.once('ready-to-show', () => void updates?.checkAtStart());
  nextPage = undefined;
  wasOpened = true;
  window = opened;
  background?.adopt(opened);
  servers?.labelLocal(opened);
  let lastPage: string | undefined;
  opened.on('close', () => {
    lastPage = pageIn(opened.webContents.getURL(), server?.url);
  });
  opened.once('closed', () => {
    window = undefined;
    nextPage ??= lastPage;
  });
}

/** Returns the path of an address on a server; undefined for the page of a sign-in link, whose token is spent. */
function pageIn(address: string, origin: string | undefined): string | undefined {
  const url = URL.parse(address);
  if (!url || url.origin !== origin || url.pathname === '/sign-in') return undefined;
  return url.pathname + url.search;
}

function go(address: string): void {
  show();
  window?.loadURL(address).catch(() => undefined);
}

/**
 * Differs from the previous link even where only the fragment differs, so that an open page reloads. `page` is shown
 * next.
 */
function signInLink(page?: string): string {
  if (!server) throw new Error('The server does not run.');
  const url = new URL(server.createSignInLink());
  url.searchParams.set('at', String(Date.now()));
  if (page !== undefined) url.searchParams.set('return', page);
  return url.href;
}

/**
 * Address of a page in the data folder: the link itself would be visible in the process list while the browser starts.
 */
function signInPage(): string {
  if (!server) throw new Error('The server does not run.');
  return writeSignInPage(server.dataDir, signInLink());
}

/** The person at this machine can read the operator token in the data folder anyway, so the window needs none. */
async function unseal(passphrase: string): Promise<VaultStatus> {
  if (!server) throw new Error('The server does not run.');
  try {
    return await server.unseal(passphrase === '' ? undefined : passphrase);
  } catch (error) {
    const status = server.vault();
    if (status.reason === 'passphrase_wrong') return status;
    throw error;
  }
}

async function chooseFolder(): Promise<string | null> {
  const options = { title: texts().chooseFolder, properties: ['openDirectory' as const] };
  const { filePaths } = await (window ? dialog.showOpenDialog(window, options) : dialog.showOpenDialog(options));
  return filePaths[0] ?? null;
}

/** Quitting waits for the server to stop cleanly; an apply continues in its supervisor. */
function closeFirst(event: { preventDefault(): void }): void {
  if (!server || quitting === 'now') return;
  event.preventDefault();
  if (quitting === 'soon') return;
  void stopServer().then(() => app.quit());
}

/** Stops the server; the next quit is not delayed. */
async function stopServer(): Promise<void> {
  quitting = 'soon';
  window?.hide();
  servers?.hide();
  background?.stop();
  await Promise.race([server?.close().catch(() => undefined), setTimeout(closeMs)]);
  quitting = 'now';
}
