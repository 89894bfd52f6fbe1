import { app, Menu, type MenuItemConstructorOptions } from 'electron';
import type { SettingItems } from './background/tray-menu.ts';
import type { Texts } from './texts.ts';

/** Menu actions besides the usual roles. */
export type MenuActions = {
  install(): void;
  openInBrowser(): void;
  signInAgain(): void;
  back(): void;
  forward(): void;
  reload(): void;
  showLog(): void;
  checkForUpdates(): void;
  about(): void;
};
type Build = {
  t: Texts;
  actions: MenuActions;
  servers: MenuItemConstructorOptions;
  platform: NodeJS.Platform;
  settings?: SettingItems;
};

/** `settings` are those of the desktop itself; `servers` switches between servers. */
export function installMenu(build: Omit<Build, 'platform'>): void {
  const template = menuTemplate({ ...build, platform: process.platform });
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}

const line: MenuItemConstructorOptions = { type: 'separator' };

/** Every menu of the window. Actions without a standard key get one here. */
export function menuTemplate(build: Build): MenuItemConstructorOptions[] {
  const { t } = build;
  return [
    ...macMenu(build),
    fileMenu(build),
    editMenu(t),
    viewMenu(build),
    build.servers,
    windowMenu(t),
    helpMenu(build),
  ];
}

/** The menu that macOS names after the application. */
const macMenu = ({ t, actions, platform }: Build): MenuItemConstructorOptions[] => {
  if (platform !== 'darwin') return [];
  const roles = ['services', 'hide', 'hideOthers', 'unhide', 'quit'] as const;
  const about = { label: t.about, click: actions.about };
  return [{ label: 'Ground Control', submenu: [about, line, ...roles.map((role) => ({ role }))] }];
};

const fileMenu = ({ t, actions, platform, settings = [] }: Build): MenuItemConstructorOptions => ({
  label: t.file,
  submenu: [
    { label: t.install, accelerator: 'CmdOrCtrl+N', click: actions.install },
    line,
    { label: t.openInBrowser, click: actions.openInBrowser },
    { label: t.signInAgain, click: actions.signInAgain },
    ...(settings.length === 0 ? [] : [line, ...settings]),
    ...(platform === 'darwin' ? [] : [line, { role: 'quit', label: t.quit } as const]),
  ],
});

const editMenu = (t: Texts): MenuItemConstructorOptions => ({
  label: t.edit,
  submenu: [
    { role: 'undo', label: t.undo },
    { role: 'redo', label: t.redo },
    line,
    { role: 'cut', label: t.cut },
    { role: 'copy', label: t.copy },
    { role: 'paste', label: t.paste },
    { role: 'selectAll', label: t.selectAll },
  ],
});

const viewMenu = ({ t, actions, platform }: Build): MenuItemConstructorOptions => ({
  label: t.view,
  submenu: [
    { label: t.back, accelerator: platform === 'darwin' ? 'Cmd+[' : 'Alt+Left', click: actions.back },
    { label: t.forward, accelerator: platform === 'darwin' ? 'Cmd+]' : 'Alt+Right', click: actions.forward },
    // Not the role, which reloads the strip of a window that has one.
    { label: t.reload, accelerator: 'CmdOrCtrl+R', click: actions.reload },
    line,
    { role: 'resetZoom', label: t.resetZoom },
    { role: 'zoomIn', label: t.zoomIn },
    { role: 'zoomOut', label: t.zoomOut },
    line,
    { role: 'togglefullscreen', label: t.fullScreen },
    ...(app.isPackaged ? [] : [line, { role: 'toggleDevTools', label: t.devTools } as const]),
  ],
});

const windowMenu = (t: Texts): MenuItemConstructorOptions => ({
  label: t.window,
  role: 'window',
  submenu: [
    { role: 'minimize', label: t.minimize },
    { role: 'close', label: t.close },
  ],
});

const helpMenu = ({ t, actions, platform }: Build): MenuItemConstructorOptions => ({
  label: t.help,
  role: 'help',
  submenu: [
    { label: t.showLog, click: actions.showLog },
    { label: t.update.checkForUpdates, click: actions.checkForUpdates },
    ...(platform === 'darwin' ? [] : [{ label: t.about, click: actions.about }]),
  ],
});
