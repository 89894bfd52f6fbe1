import type { MenuItemConstructorOptions } from 'electron';
import type { SavedServer } from './saved.ts';
import type { ServerTexts } from './texts.ts';

type ServerMenu = {
  t: ServerTexts;
  servers: readonly SavedServer[];
  isCurrent(id: string): boolean;
  showLocal(): void;
  show(id: string): void;
  manage(): void;
};

/** Digits are keys of the first servers. */
const keyOf = (index: number) => (index < 9 ? { accelerator: `CmdOrCtrl+${index + 1}` } : {});

/** The menu that switches between this machine and saved servers. An ampersand in a name is not a key. */
export function serverMenu({ t, servers, isCurrent, showLocal, show, manage }: ServerMenu): MenuItemConstructorOptions {
  const isLocal = !servers.some(({ id }) => isCurrent(id));
  return {
    label: t.menu,
    submenu: [
      { label: t.local, type: 'radio', checked: isLocal, click: showLocal, ...keyOf(0) },
      ...servers.map(({ id, name }, index) => ({
        label: name.replaceAll('&', '&&'),
        type: 'radio' as const,
        checked: isCurrent(id),
        click: () => show(id),
        ...keyOf(index + 1),
      })),
      { type: 'separator' },
      { label: t.manage, click: manage },
    ],
  };
}
