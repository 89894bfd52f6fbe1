import path from 'node:path';
import { app, BrowserWindow, type BrowserWindowConstructorOptions, nativeTheme } from 'electron';
import { guardContents } from './navigation.ts';
import { confirmOpenApp } from './open-app.ts';
import { readBounds, saveBoundsOnClose, type WindowBounds } from './window-bounds.ts';

/** Background of the page, so that nothing flashes before it is painted. */
const background = () => (nativeTheme.shouldUseDarkColors ? '#0f1216' : '#f6f7f9');

/** The page has no Node, is isolated and stays on its origin; the preload exposes all that it has besides HTTP. */
const windowOptions = ({ isMaximized: _, ...bounds }: WindowBounds): BrowserWindowConstructorOptions => ({
  ...bounds,
  minWidth: 390,
  minHeight: 400,
  show: false,
  title: 'Ground Control',
  backgroundColor: background(),
  // On other systems the icon is part of the program.
  ...(process.platform === 'linux' && { icon: path.join(app.getAppPath(), 'resources/icons/icon.png') }),
  webPreferences: {
    preload: path.join(app.getAppPath(), 'dist/desktop/preload/preload.cjs'),
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    webviewTag: false,
    navigateOnDragDrop: false,
    spellcheck: false,
    devTools: !app.isPackaged,
  },
});

/** Opens the window on a one-time sign-in link of the server. */
export function openWindow(origin: string, signInLink: string): BrowserWindow {
  const bounds = readBounds();
  const window = new BrowserWindow(windowOptions(bounds));
  guardContents(window.webContents, origin, (address) => confirmOpenApp(window, address));
  saveBoundsOnClose(window);
  window.once('ready-to-show', () => {
    if (bounds.isMaximized) window.maximize();
    window.show();
  });
  revive(window);
  window.loadURL(signInLink).catch(() => undefined);
  return window;
}

/** Brings a window to the front, wherever it is. */
export function showWindow(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}

const reviveAgainMs = 10_000;

/** Reloads a crashed page, because everything it showed is in the ledger; not repeatedly. */
function revive(window: BrowserWindow): void {
  let lastAt = Number.NEGATIVE_INFINITY;
  window.webContents.on('render-process-gone', (_event, { reason }) => {
    const isSoon = performance.now() - lastAt < reviveAgainMs;
    if (reason === 'clean-exit' || isSoon || window.isDestroyed()) return;
    lastAt = performance.now();
    window.webContents.reload();
  });
}
