import type { MenuItemConstructorOptions } from 'electron';
import type { LoginItem } from './login-item.ts';
import type { DesktopSettings } from './stored-settings.ts';
import type { BackgroundTexts } from './texts.ts';

type SettingState = {
  t: BackgroundTexts;
  hasTray: boolean;
  settings: DesktopSettings;
  /** Absent where the desktop is not installed. */
  loginItem: LoginItem | undefined;
  /** True for a package that names its releases. */
  isUpdatable: boolean;
  platform: NodeJS.Platform;
  /** Runs a change, reports its failure, and shows the menus again. */
  change(work: () => void): void;
  save(settings: DesktopSettings): void;
};

/** The settings of the desktop as items of a menu. A setting that has no effect on this system is left out. */
export function settingItems(state: SettingState): MenuItemConstructorOptions[] {
  const { t, hasTray, settings, loginItem, isUpdatable, platform, change, save } = state;
  const keepRunning: MenuItemConstructorOptions = {
    label: t.keepRunning,
    type: 'checkbox',
    checked: settings.keepsRunning,
    click: () => change(() => save({ ...settings, keepsRunning: !settings.keepsRunning })),
  };
  const startAtLogin = (item: LoginItem): MenuItemConstructorOptions => ({
    label: t.startAtLogin,
    type: 'checkbox',
    checked: item.isOn(),
    click: () => change(() => item.set(!item.isOn())),
  });
  const checkForUpdates: MenuItemConstructorOptions = {
    label: t.checkForUpdates,
    type: 'checkbox',
    checked: settings.checksForUpdates,
    click: () => change(() => save({ ...settings, checksForUpdates: !settings.checksForUpdates })),
  };
  return [
    // macOS keeps every application without a window.
    ...(hasTray && platform !== 'darwin' ? [keepRunning] : []),
    ...(loginItem ? [startAtLogin(loginItem)] : []),
    ...(isUpdatable ? [checkForUpdates] : []),
  ];
}
