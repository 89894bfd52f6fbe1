import type { MenuItemConstructorOptions } from 'electron';
import { expect, test, vi } from 'vitest';
import { menuTemplate } from './menu.ts';
import { texts } from './texts.ts';

const { app } = vi.hoisted(() => ({ app: { isPackaged: true, getLocale: () => 'en-GB' } }));
vi.mock('electron', () => ({ app, Menu: {} }));

const actions = {
  install() {},
  openInBrowser() {},
  signInAgain() {},
  back() {},
  forward() {},
  reload() {},
  showLog() {},
  checkForUpdates() {},
  about() {},
};
const servers = { label: 'Servers', submenu: [{ label: 'This machine', accelerator: 'CmdOrCtrl+1', click() {} }] };
const items = (platform: NodeJS.Platform): MenuItemConstructorOptions[] =>
  menuTemplate({ t: texts(), actions, servers, platform }).flatMap(({ role, submenu = [] }) => [
    { ...(role && { role }) },
    ...(submenu as MenuItemConstructorOptions[]),
  ]);
const roles = (platform: NodeJS.Platform) => items(platform).flatMap(({ role }) => role ?? []);

test('the menu has what every window is expected to have', () => {
  const usual = [
    'undo',
    'redo',
    'cut',
    'copy',
    'paste',
    'selectAll',
    'resetZoom',
    'zoomIn',
    'zoomOut',
    'togglefullscreen',
  ];
  for (const platform of ['linux', 'win32', 'darwin'] as const)
    expect(roles(platform)).toEqual(expect.arrayContaining(usual));
  for (const platform of ['linux', 'win32', 'darwin'] as const) {
    expect(roles(platform)).toContain('quit');
    expect(items(platform).map(({ label }) => label)).toContain('About Ground Control');
  }
  expect(roles('darwin')).toEqual(expect.arrayContaining(['hide', 'hideOthers', 'unhide', 'services']));
  expect(roles('linux')).not.toContain('toggleDevTools');
});

test('every item has an action and a unique key', () => {
  for (const platform of ['linux', 'darwin'] as const) {
    const real = items(platform).filter(({ type }) => type !== 'separator');
    const idle = real.filter(
      ({ role, click, label }) => label !== undefined && role === undefined && click === undefined,
    );
    expect(idle).toEqual([]);
    const keys = real.flatMap(({ accelerator }) => accelerator ?? []);
    expect(new Set(keys).size).toBe(keys.length);
  }
});
