import { setTimeout } from 'node:timers/promises';
import { app, type BrowserWindow, dialog, session, shell } from 'electron';
import { type RunningServer, writeSignInPage } from '#server/index';
import { deepLinkAddress, findDeepLink, registerDeepLinks } from './deep-link.ts';
import { endOnFault, showStartFailure } from './fault.ts';
import { installIpc } from './ipc.ts';
import { installMenu } from './menu.ts';
import { guardSession } from './navigation.ts';
import { logFile, openLog, startHost } from './server-host.ts';
import { claimSingleInstance } from './single-instance.ts';
import { texts } from './texts.ts';
import { openWindow, showWindow } from './window.ts';

/** Time after which a server that does not stop is abandoned; its recorded data is safe. */
const closeMs = 15_000;

let window: BrowserWindow | undefined;
let server: RunningServer | undefined;
/** Link that was opened before the window existed. */
let waiting = findDeepLink(process.argv);
/** `soon` while the server ends, `now` when it has. */
let quitting: 'no' | 'soon' | 'now' = 'no';

app.enableSandbox();
if (claimSingleInstance((_event, argv) => openLink(findDeepLink(argv)))) void start();

async function start(): Promise<void> {
  const log = openLog();
  const createReport = () => ({ t: texts(), logFile: logFile() });
  endOnFault(log, createReport);
  // The terminal that started this process may have been closed since.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  app.on('window-all-closed', () => process.platform !== 'darwin' && app.quit());
  app.on('activate', show);
  app.on('before-quit', closeFirst);
  registerDeepLinks(openLink);
  await app.whenReady();
  try {
    server = await startHost(log);
  } catch (error) {
    showStartFailure(error, createReport());
    return app.exit(1);
  }
  guardSession(session.defaultSession, server.url);
  installIpc(server.url, {
    'desktop:open-folder': chooseFolder,
    'desktop:new-sign-in-link': () => signInLink(),
    'desktop:version': () => app.getVersion(),
  });
  installMenu(texts(), {
    install: () => go(`${server?.url}/new`),
    openInBrowser: () => void shell.openExternal(signInPage()),
    signInAgain: () => go(signInLink()),
    back: () => window?.webContents.navigationHistory.goBack(),
    forward: () => window?.webContents.navigationHistory.goForward(),
    showLog: () => shell.showItemInFolder(logFile()),
  });
  show();
}

/** Opens the window, or brings the existing one to the front. */
function show(): void {
  if (!server) return;
  if (window) showWindow(window);
  else {
    window = openWindow(server.url, signInLink(waiting));
    waiting = undefined;
    window.once('closed', () => {
      window = undefined;
    });
  }
}

/** Shows a link from outside for review and does nothing else with it; without a link the window comes to the front. */
function openLink(link: string | undefined): void {
  if (link !== undefined && server && window) go(deepLinkAddress(link, server.url));
  else {
    waiting = link ?? waiting;
    show();
  }
}

function go(address: string): void {
  show();
  window?.loadURL(address).catch(() => undefined);
}

/**
 * Differs from the previous link even where only the fragment differs, so that an open page reloads. `link` is reviewed
 * next.
 */
function signInLink(link?: string): string {
  if (!server) throw new Error('The server does not run.');
  const url = new URL(server.createSignInLink());
  url.searchParams.set('at', String(Date.now()));
  if (link !== undefined) url.searchParams.set('link', link);
  return url.href;
}

/**
 * Address of a page in the data folder: the link itself would be visible in the process list while the browser starts.
 */
function signInPage(): string {
  if (!server) throw new Error('The server does not run.');
  return writeSignInPage(server.dataDir, signInLink());
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
  quitting = 'soon';
  window?.hide();
  void Promise.race([server.close().catch(() => undefined), setTimeout(closeMs)]).then(() => {
    quitting = 'now';
    app.quit();
  });
}
