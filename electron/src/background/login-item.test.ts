import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { autostartEntry, createLoginItem, isHiddenStart } from './login-item.ts';
import { readDesktopSettings, writeDesktopSettings } from './stored-settings.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(path.join(os.tmpdir(), 'gc-login-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const appWith = (settings = { openAtLogin: false, wasOpenedAtLogin: false }) => ({
  getLoginItemSettings: vi.fn(() => settings),
  setLoginItemSettings: vi.fn(),
});

describe('the login item', () => {
  const onLinux = (env: NodeJS.ProcessEnv = {}) =>
    createLoginItem({ app: appWith(), platform: 'linux', env, home, program: '/opt/Ground Control/groundctl' });

  test('is a file on Linux, off until a person turns it on', () => {
    const file = path.join(home, '.config/autostart/groundctl-desktop.desktop');
    const item = onLinux();
    expect(item.isOn()).toBe(false);
    item.set(true);
    expect(item.isOn()).toBe(true);
    expect(readFileSync(file, 'utf8')).toContain('\nExec="/opt/Ground Control/groundctl" --hidden\n');
    // The settings of a desktop turn it off this way.
    writeFileSync(file, `${readFileSync(file, 'utf8')}Hidden=true\n`);
    expect(item.isOn()).toBe(false);
    item.set(false);
    item.set(false);
    expect([item.isOn(), existsSync(file)]).toEqual([false, false]);
  });

  test('names the AppImage, and is in the configured folder', () => {
    const config = path.join(home, 'config');
    onLinux({ XDG_CONFIG_HOME: config, APPIMAGE: '/home/ada/gc.AppImage' }).set(true);
    const file = path.join(config, 'autostart/groundctl-desktop.desktop');
    expect(readFileSync(file, 'utf8')).toContain('Exec="/home/ada/gc.AppImage" --hidden');
  });

  test('quotes the program', () => {
    expect(autostartEntry('/a"b$c`d\\e%f')).toContain('Exec="/a\\\\"b\\\\$c\\\\`d\\\\\\\\e%%f" --hidden');
    expect(() => autostartEntry('/a\nExec=evil')).toThrow('line break');
  });

  test('is a setting of the system on macOS and Windows', () => {
    for (const [platform, more] of [
      ['darwin', {}],
      ['win32', { args: ['--hidden'] }],
    ] as const) {
      const app = appWith();
      const item = createLoginItem({ app, platform, env: {}, home, program: 'gc' });
      expect(item.isOn()).toBe(false);
      item.set(true);
      expect(app.getLoginItemSettings.mock.calls).toEqual([[more]]);
      expect(app.setLoginItemSettings.mock.calls).toEqual([[{ openAtLogin: true, ...more }]]);
    }
  });

  test('starts the desktop without a window', () => {
    const atLogin = appWith({ openAtLogin: true, wasOpenedAtLogin: true });
    expect(isHiddenStart(['gc', '--hidden'], { app: appWith(), platform: 'linux' })).toBe(true);
    expect(isHiddenStart(['gc'], { app: atLogin, platform: 'linux' })).toBe(false);
    expect(isHiddenStart(['gc'], { app: atLogin, platform: 'darwin' })).toBe(true);
    expect(isHiddenStart(['gc'], { app: appWith(), platform: 'darwin' })).toBe(false);
  });
});

test('settings are read as they were written; a damaged file or member counts as the default', () => {
  const file = path.join(home, 'desktop.json');
  const defaults = { keepsRunning: true, hasExplained: false, checksForUpdates: false };
  const changed = { keepsRunning: false, hasExplained: true, checksForUpdates: true };
  expect(readDesktopSettings(file)).toEqual(defaults);
  writeDesktopSettings(file, changed);
  expect(readDesktopSettings(file)).toEqual(changed);
  for (const text of ['{', 'null', '[]', '{"keepsRunning":"no","hasExplained":1,"checksForUpdates":"yes"}']) {
    writeFileSync(file, text);
    expect([text, readDesktopSettings(file)]).toEqual([text, defaults]);
  }
});
