import { homedir } from 'node:os';
import path from 'node:path';
import { app, type BrowserWindow, dialog, Menu, powerSaveBlocker } from 'electron';
import type { RunningServer } from '#server/index';
import { noWork, type OwnerWork } from '#shared/dashboard/owner-work';
import { decideClosing } from './closing.ts';
import { jumpList } from './jump-list.ts';
import { createLoginItem } from './login-item.ts';
import { isShown, wordNotice } from './notice.ts';
import { createNotifier } from './notifier.ts';
import { settingItems } from './setting-items.ts';
import { createSleepBlocker } from './sleep-blocker.ts';
import { readDesktopSettings, writeDesktopSettings } from './stored-settings.ts';
import { type BackgroundTexts, backgroundTexts } from './texts.ts';
import { createOverlay, openTray } from './tray.ts';
import { hasTray as findTray } from './tray-host.ts';
import { recentItems, type SettingItems, type TrayActions } from './tray-menu.ts';

export { isHiddenStart } from './login-item.ts';
export { nameProgram } from './program-name.ts';

type BackgroundHost = {
  server: Pick<RunningServer, 'followWork' | 'onNotice'>;
  actions: TrayActions;
  findWindow(): BrowserWindow | undefined;
  isQuitting(): boolean;
  /** True for a package that names its releases. */
  isUpdatable: boolean;
  /** Shows the settings in the menu of the window again. */
  showSettings(items: SettingItems): void;
};
export type Background = ReturnType<typeof startBackground>;

/** True where the person sees the desktop without a window. */
export const hasTray = (): boolean => findTray({ platform: process.platform, env: process.env });

/** Shows the work of the server where no page does: tray, notifications, badge, Dock and jump list; keeps the system awake. */
export function startBackground(host: BackgroundHost) {
  const { server, actions, findWindow, isQuitting, isUpdatable, showSettings } = host;
  const t = backgroundTexts();
  const { platform } = process;
  const file = path.join(app.getPath('userData'), 'desktop.json');
  let settings = readDesktopSettings(file);
  let work: OwnerWork = noWork;
  const notifier = createNotifier();
  const blocker = createSleepBlocker(powerSaveBlocker);
  const system = { app, platform, env: process.env, home: homedir(), program: process.execPath };
  const loginItem = app.isPackaged ? createLoginItem(system) : undefined;
  const tray = hasTray() ? openTray(actions) : undefined;

  const save = (changed: typeof settings) => {
    writeDesktopSettings(file, changed);
    settings = changed;
  };
  const change = (set: () => void) => {
    try {
      set();
    } catch {
      dialog.showErrorBox(t.notSaved, `${t.notSavedWhy} ${app.getPath('userData')}`);
    }
    showMenus();
  };
  function showMenus(): void {
    const shown = { t, hasTray: tray !== undefined, settings, loginItem, isUpdatable, platform };
    const items = settingItems({ ...shown, change, save });
    showSettings(items);
    tray?.show({ t, work, settings: items });
  }
  const stopFollowing = server.followWork((now) => {
    work = now;
    blocker.update(now);
    showMenus();
    showBadge(t, now, findWindow());
    app.dock?.setMenu(Menu.buildFromTemplate(recentItems(t, now, actions)));
    if (platform === 'win32') app.setJumpList(jumpList(t, now, process.execPath));
  });
  const stopNotices = server.onNotice((notice) => {
    const { page, ...shown } = wordNotice(t, notice);
    const window = findWindow();
    if (isShown(page, window && { isFocused: window.isFocused(), address: window.webContents.getURL() })) return;
    notifier.notify({ ...shown, onClick: () => actions.open(page) });
  });
  const closing = () =>
    decideClosing({ ...settings, ...work, hasTray: tray !== undefined, isQuitting: isQuitting(), platform });

  return {
    /** Reports whether the person wants the desktop to look for updates when it starts. */
    checksForUpdates: (): boolean => isUpdatable && settings.checksForUpdates,
    /** Reports whether the desktop goes on without a window. */
    staysWithoutWindow: (): boolean => closing() === 'stay',
    /** Prepares a new window: its badge, and the question before it closes while nothing else shows that Runs go on. */
    adopt(window: BrowserWindow): void {
      showBadge(t, work, window);
      window.on('close', (event) => {
        const decision = closing();
        if (decision === 'ask' && !confirmQuit(window)) {
          event.preventDefault();
          return window.minimize();
        }
        if (decision === 'stay' && platform !== 'darwin' && !settings.hasExplained) explain();
      });
    },
    /** Releases what belongs to the system, before the server ends. */
    stop(): void {
      stopFollowing();
      stopNotices();
      blocker.release();
      notifier.close();
      tray?.close();
    },
  };

  function explain(): void {
    change(() => save({ ...settings, hasExplained: true }));
    notifier.notify({ title: t.keepsRunning, body: t.keepsRunningWhy, onClick: () => actions.open() });
  }
  function confirmQuit(window: BrowserWindow): boolean {
    const options = { type: 'question' as const, title: 'Ground Control', message: t.quitQuestion, detail: t.quitWhy };
    const buttons = { buttons: [t.minimize, t.quit], defaultId: 0, cancelId: 0, noLink: true };
    return dialog.showMessageBoxSync(window, { ...options, ...buttons }) === 1;
  }
}

/** Shows the number of plans that wait on the icon of the program. Windows shows a dot on that of the window. */
function showBadge(t: BackgroundTexts, { waiting }: OwnerWork, window: BrowserWindow | undefined): void {
  if (process.platform !== 'win32') app.setBadgeCount(waiting);
  else window?.setOverlayIcon(waiting > 0 ? createOverlay() : null, waiting > 0 ? t.waiting(waiting) : '');
}
