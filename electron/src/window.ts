import path from 'node:path';
import { app, BrowserWindow, type BrowserWindowConstructorOptions, nativeTheme, type WebPreferences } from 'electron';
import { installContextMenu } from './context-menu.ts';
import { guardContents } from './navigation.ts';
import { confirmOpenApp } from './open-app.ts';
import { texts } from './texts.ts';
import { keepOnScreen, readBounds, saveBoundsOnClose, type WindowBounds } from './window-bounds.ts';

/** Background of the page, so that nothing flashes before it is painted. */
const background = () => (nativeTheme.shouldUseDarkColors ? '#0f1216' : '#f6f7f9');

/** A page has no Node, is isolated and stays on its origin; its preload exposes all that it has besides HTTP. */
export const lockedPreferences = {
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
} as const satisfies WebPreferences;

/** Options of every window of the desktop. */
export const sharedOptions = (): BrowserWindowConstructorOptions => ({
  minWidth: 390,
  minHeight: 400,
  title: 'Ground Control',
  backgroundColor: background(),
  // On other systems the icon is part of the program.
  ...(process.platform === 'linux' && { icon: path.join(app.getAppPath(), 'resources/icons/icon.png') }),
});

const windowOptions = ({
  isMaximized: _,
  zoomLevel: _zoom,
  ...bounds
}: WindowBounds): BrowserWindowConstructorOptions => ({
  ...bounds,
  ...sharedOptions(),
  show: false,
  webPreferences: {
    preload: path.join(app.getAppPath(), 'dist/desktop/preload/preload.cjs'),
    ...lockedPreferences,
    devTools: !app.isPackaged,
  },
});

type Opened = {
  origin: string;
  /** Page of the server, or a one-time sign-in link. */
  address: string;
  /** Shown in the taskbar only. */
  isMinimized?: boolean;
};

/** Opens the window on a page of the server. */
export function openWindow({ origin, address, isMinimized = false }: Opened): BrowserWindow {
  const bounds = readBounds();
  const window = new BrowserWindow(windowOptions(bounds));
  guardContents(window.webContents, origin, (address) => confirmOpenApp(window, address));
  saveBoundsOnClose(window);
  keepOnScreen(window);
  installContextMenu(window, window.webContents, texts());
  // Each page that is loaded begins with the zoom of its host, which is the same for every port.
  window.webContents.once('did-finish-load', () => window.webContents.setZoomLevel(bounds.zoomLevel));
  window.once('ready-to-show', () => {
    if (isMinimized) return window.minimize();
    if (bounds.isMaximized) window.maximize();
    window.show();
  });
  revive(window);
  window.loadURL(address).catch(() => undefined);
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
