import { app, Menu, type MenuItemConstructorOptions } from 'electron';
import type { Texts } from './texts.ts';

/** Menu actions besides the usual roles. */
type MenuActions = {
  install(): void;
  openInBrowser(): void;
  signInAgain(): void;
  back(): void;
  forward(): void;
  showLog(): void;
};
type Build = { t: Texts; actions: MenuActions; platform: NodeJS.Platform };

export function installMenu(t: Texts, actions: MenuActions): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate({ t, actions, platform: process.platform })));
}

const line: MenuItemConstructorOptions = { type: 'separator' };

/** Every menu of the window. Actions without a standard key get one here. */
export function menuTemplate(build: Build): MenuItemConstructorOptions[] {
  const { t, platform } = build;
  const ofMac: MenuItemConstructorOptions[] = platform === 'darwin' ? [{ role: 'appMenu' }] : [];
  return [...ofMac, fileMenu(build), editMenu(t), viewMenu(build), windowMenu(t), helpMenu(build)];
}

const fileMenu = ({ t, actions, platform }: Build): MenuItemConstructorOptions => ({
  label: t.file,
  submenu: [
    { label: t.install, accelerator: 'CmdOrCtrl+N', click: actions.install },
    line,
    { label: t.openInBrowser, click: actions.openInBrowser },
    { label: t.signInAgain, click: actions.signInAgain },
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
    { role: 'reload', label: t.reload },
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
    ...(platform === 'darwin' ? [] : [{ role: 'about', label: t.about } as const]),
  ],
});
