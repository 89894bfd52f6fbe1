import { app, type BrowserWindow, dialog, ipcMain } from 'electron';
import { readQuery } from '#shared/sources/link-query';
import { showWindow } from '../window.ts';
import { confirm } from './dialogs.ts';
import { manageChannel } from './manage-channel.ts';
import { choosePageAddress, managePageAddress } from './manage-page.ts';
import { addServer, type ManageRequest, readManageRequest, renameServer } from './manage-requests.ts';
import { openOwnWindow } from './page-window.ts';
import type { SavedServer, ServerList } from './saved.ts';
import { serverTexts } from './texts.ts';

type ManageWindowOptions = {
  list: ServerList;
  localOrigin: string;
  preload: string;
  show(id: string, review?: string): void;
  showLocal(review?: string): void;
  onChange(): void;
  /** Closes the windows of a server and deletes what its pages stored. */
  clear(server: SavedServer): Promise<void>;
};

type SaveRequest = Extract<ManageRequest, { kind: 'add' | 'rename' }>;

/** The desktop's own window in which the person manages saved servers, or chooses the one that takes a link. */
export function createManageWindow(options: ManageWindowOptions) {
  const { list, localOrigin, preload } = options;
  let window: BrowserWindow | undefined;
  /** Path of the review of the link that waits for a choice. */
  let review: string | undefined;

  const load = () => {
    const page = { t: serverTexts(), language: app.getLocale(), servers: list.all() };
    const address =
      review === undefined
        ? managePageAddress(page)
        : choosePageAddress({ ...page, localOrigin, target: targetOf(review) });
    window?.setTitle(review === undefined ? page.t.manageTitle : page.t.chooseTitle);
    window?.loadURL(address).catch(() => undefined);
  };
  const open = (reviewToChoose: string | undefined) => {
    review = reviewToChoose;
    if (!window) {
      window = openOwnWindow({ width: 640, height: 560, preload });
      window.once('closed', () => {
        window = undefined;
        review = undefined;
      });
    }
    load();
    showWindow(window);
  };
  const changed = () => {
    load();
    options.onChange();
  };

  async function remove(id: string): Promise<void> {
    const server = list.find(id);
    const t = serverTexts();
    const question = { message: t.removeQuestion(server?.name ?? ''), detail: t.removeDetail };
    if (!server || !window || !(await confirm(window, { ...question, action: t.remove, cancel: t.cancel }))) return;
    await options.clear(server);
    list.remove(id);
    changed();
  }
  /** Adds or renames a server. Returns why it is refused, or null. */
  function save(request: SaveRequest): string | null {
    const result = request.kind === 'add' ? addServer(list, { ...request, localOrigin }) : renameServer(list, request);
    if (result && 'refusal' in result) return serverTexts().refusals[result.refusal];
    changed();
    return null;
  }
  /** Opens the server that the person chose, then closes this window: without any window the desktop could quit. */
  function leave(request: Exclude<ManageRequest, SaveRequest>): void {
    if (request.kind === 'open') options.show(request.id);
    if (request.kind === 'take' && review !== undefined) {
      if (request.id === null) options.showLocal(review);
      else options.show(request.id, review);
    }
    window?.close();
  }
  async function handle(request: ManageRequest): Promise<string | null> {
    if (request.kind === 'add' || request.kind === 'rename') return save(request);
    if (request.kind === 'remove') await remove(request.id);
    else leave(request);
    return null;
  }
  ipcMain.handle(manageChannel, async ({ sender, senderFrame }, value: unknown) => {
    const isOwnPage = window !== undefined && sender === window.webContents && senderFrame?.parent === null;
    const request = isOwnPage ? readManageRequest(value) : undefined;
    if (!request) throw new Error('Only the page of the desktop changes saved servers.');
    try {
      return await handle(request);
    } catch {
      dialog.showErrorBox('Ground Control', serverTexts().notSaved);
      return serverTexts().notSaved;
    }
  });

  return {
    show: () => open(undefined),
    /** Lets the person choose the server that takes an install link; a newer link replaces one that waits. */
    choose: (page: string) => open(page),
    close: () => window?.close(),
  };
}

const maxTargetLength = 300;

/** Text of what a link installs, for the person who chooses a server. The review checks the whole link. */
function targetOf(page: string): string {
  const fields = readQuery(page.slice(page.indexOf('?')));
  const target = fields.find(({ name }) => name === 'git' || name === 'source')?.value ?? '';
  return target.length > maxTargetLength ? `${target.slice(0, maxTargetLength)}…` : target;
}
