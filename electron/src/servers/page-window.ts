import { app, BrowserWindow, session, type WebContents, WebContentsView } from 'electron';
import { installContextMenu } from '../context-menu.ts';
import { texts } from '../texts.ts';
import { lockedPreferences, sharedOptions } from '../window.ts';
import { lockOwnContents } from './contents.ts';
import { pageBounds, stripAddress } from './strip.ts';

/** Partition of the desktop's own pages: in memory, without a network. */
const ownPartition = 'desktop-pages';

type Label = { name: string; origin: string; message?: string | undefined };

/** A window that shows the page of another machine below a strip of the desktop. */
export type PageWindow = {
  window: BrowserWindow;
  contents: WebContents;
  /** Says whose page the window shows. */
  label(label: Label, title: string): void;
};

type PageWindowOptions = { partition: string; preload?: string; width?: number; height?: number };

/** Opens a window whose page is confined to `partition`. The page fills the window but for the strip. */
export function openPageWindow({ partition, preload, width = 1_280, height = 800 }: PageWindowOptions): PageWindow {
  const window = openOwnWindow({ width, height });
  const view = new WebContentsView({
    webPreferences: {
      ...lockedPreferences,
      ...(preload !== undefined && { preload }),
      partition,
      // A dialog of a page looks like one of the desktop.
      disableDialogs: true,
      devTools: false,
    },
  });
  const { webContents: contents } = view;
  installContextMenu(window, contents, texts());
  const setPageBounds = () => view.setBounds(pageBounds(window.getContentBounds()));
  window.contentView.addChildView(view);
  setPageBounds();
  window.on('resize', setPageBounds);
  window.on('focus', () => contents.focus());
  window.once('closed', () => contents.close());
  contents.once('destroyed', () => window.isDestroyed() || window.close());
  let shown = '';
  const label = ({ name, origin, message }: Label, title: string) => {
    const wanted = JSON.stringify([name, origin, message, title]);
    // The page that is shown next has mostly the same label, and a strip that is loaded again flickers.
    if (wanted === shown) return;
    shown = wanted;
    window.setTitle(title);
    const address = stripAddress({ name, origin, message, language: app.getLocale() });
    window.loadURL(address).catch(() => undefined);
  };
  return { window, contents, label };
}

/** Opens a window for a page of the desktop itself. Its page is not found on any network. */
export function openOwnWindow(options: { width: number; height: number; preload?: string }): BrowserWindow {
  const { width, height, preload } = options;
  guardOwnSession();
  const window = new BrowserWindow({
    ...sharedOptions(),
    width,
    height,
    webPreferences: {
      ...lockedPreferences,
      ...(preload !== undefined && { preload }),
      partition: ownPartition,
      devTools: false,
    },
  });
  lockOwnContents(window.webContents);
  window.on('page-title-updated', (event) => event.preventDefault());
  return window;
}

let isGuarded = false;

function guardOwnSession(): void {
  if (isGuarded) return;
  isGuarded = true;
  const own = session.fromPartition(ownPartition);
  own.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  own.setPermissionCheckHandler(() => false);
  own.setDevicePermissionHandler(() => false);
  own.setSpellCheckerEnabled(false);
  own.webRequest.onBeforeRequest(({ url }, answer) => answer({ cancel: !url.startsWith('data:') }));
}
