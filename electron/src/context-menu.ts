import {
  type BrowserWindow,
  type ContextMenuParams,
  clipboard,
  Menu,
  type MenuItemConstructorOptions,
  type WebContents,
} from 'electron';
import { visibleText } from '#shared/visible-text';
import type { Texts } from './texts.ts';

type MenuFacts = Pick<ContextMenuParams, 'isEditable' | 'selectionText' | 'linkURL'> & {
  editFlags: Pick<ContextMenuParams['editFlags'], 'canCut' | 'canCopy' | 'canPaste' | 'canSelectAll'>;
};
type Build = { t: Texts; facts: MenuFacts; copy: (text: string) => void };

const maxAddress = 80;
const line: MenuItemConstructorOptions = { type: 'separator' };

/** The menu of a right click: what can be done with the text, and the address of a link, which it shows. */
export function contextMenu({ t, facts, copy }: Build): MenuItemConstructorOptions[] {
  const { isEditable, selectionText, linkURL, editFlags } = facts;
  const ofLink: MenuItemConstructorOptions[] =
    linkURL === ''
      ? []
      : [
          { label: shortAddress(linkURL), enabled: false },
          { label: t.copyAddress, click: () => copy(linkURL) },
        ];
  const ofText: MenuItemConstructorOptions[] = isEditable
    ? [
        { role: 'cut', label: t.cut, enabled: editFlags.canCut },
        { role: 'copy', label: t.copy, enabled: editFlags.canCopy },
        { role: 'paste', label: t.paste, enabled: editFlags.canPaste },
        line,
        { role: 'selectAll', label: t.selectAll, enabled: editFlags.canSelectAll },
      ]
    : selectionText === ''
      ? []
      : [{ role: 'copy', label: t.copy, enabled: editFlags.canCopy }];
  return [...ofLink, ...(ofLink.length > 0 && ofText.length > 0 ? [line] : []), ...ofText];
}

/** The address without characters that deceive; `&` would mark a key. The end is cut, so the host stays visible. */
function shortAddress(address: string): string {
  const shown = visibleText(address);
  return (shown.length > maxAddress ? `${shown.slice(0, maxAddress - 1)}…` : shown).replaceAll('&', '&&');
}

/** Opens the menu at a right click on a page in a window. A click on nothing opens none. */
export function installContextMenu(window: BrowserWindow, contents: WebContents, t: Texts): void {
  contents.on('context-menu', (_event, facts) => {
    const items = contextMenu({ t, facts, copy: (text) => clipboard.writeText(text) });
    if (items.length > 0) Menu.buildFromTemplate(items).popup({ window });
  });
}
