import type { MenuItemConstructorOptions } from 'electron';
import type { OwnerWork } from '#shared/dashboard/owner-work';
import { visibleText } from '#shared/visible-text';
import type { BackgroundTexts } from './texts.ts';

export type TrayActions = {
  /** Opens the window; with a path, on that page. */
  open(page?: string): void;
  quit(): void;
};
/** Settings of the desktop as menu items; the same items are in the menu of the window. */
export type SettingItems = readonly MenuItemConstructorOptions[];

type Build = { t: BackgroundTexts; work: OwnerWork; settings: SettingItems; actions: TrayActions };

const maxName = 60;
const line: MenuItemConstructorOptions = { type: 'separator' };

/** Shortens a name and doubles `&`, which marks a key in menus. */
export function menuName(name: string): string {
  const shown = visibleText(name);
  const short = shown.length > maxName ? `${shown.slice(0, maxName - 1)}…` : shown;
  return short.replaceAll('&', '&&');
}

/** Sentences about the current work, each with its page. */
export function workLines(t: BackgroundTexts, work: OwnerWork): { text: string; page: string }[] {
  if (work.isSealed) return [{ text: t.sealed, page: '/' }];
  const lines = [
    { count: work.waiting, text: t.waiting, page: '/' },
    { count: work.failed, text: t.failed, page: '/' },
    { count: work.running, text: t.running, page: '/runs?status=running' },
  ];
  return lines.flatMap(({ count, text, page }) => (count === 0 ? [] : [{ text: text(count), page }]));
}

/** Menu of the tray: the work, the Capsules that changed last, and the settings of the desktop. */
export function trayMenu({ t, work, settings, actions }: Build): MenuItemConstructorOptions[] {
  const lines = workLines(t, work);
  return [
    { label: t.open, click: () => actions.open() },
    line,
    ...(lines.length === 0 ? [{ label: t.idle, enabled: false }] : []),
    ...lines.map(({ text, page }) => ({ label: text, click: () => actions.open(page) })),
    line,
    ...recentItems(t, work, actions),
    { label: t.install, enabled: !work.isSealed, click: () => actions.open('/new') },
    line,
    ...settings,
    line,
    { label: t.quit, click: () => actions.quit() },
  ];
}

/** The submenu of the Capsules that changed last; nothing while there are none. */
export function recentItems(
  t: BackgroundTexts,
  { recentCapsules }: Pick<OwnerWork, 'recentCapsules'>,
  actions: Pick<TrayActions, 'open'>,
): MenuItemConstructorOptions[] {
  if (recentCapsules.length === 0) return [];
  const items = recentCapsules.map(({ id, name }) => ({
    label: menuName(name),
    click: () => actions.open(`/capsules/${id}`),
  }));
  return [{ label: t.recentCapsules, submenu: items }];
}

/** Text of the icon: one line for each sentence. Windows cuts it at 127 characters. */
export const trayTooltip = (t: BackgroundTexts, work: OwnerWork): string =>
  ['Ground Control', ...workLines(t, work).map(({ text }) => text)].join('\n');
