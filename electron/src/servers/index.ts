import path from 'node:path';
import { app, type BrowserWindow, ipcMain, type MenuItemConstructorOptions, shell, type WebContents } from 'electron';
import { noticeChannel } from '#shared/desktop-notices';
import { isLocalServer } from './address.ts';
import { createManageWindow } from './manage-window.ts';
import { decideServerNavigation } from './navigation.ts';
import { readNotice } from './notices.ts';
import { createRemoteServer, type RemoteServer } from './remote-server.ts';
import { openServerList, type SavedServer } from './saved.ts';
import { serverMenu } from './server-menu.ts';
import { serverTexts } from './texts.ts';

type ServersOptions = {
  localOrigin: string;
  /** Shows the desktop's own server, with the review of an install link if there is one. */
  showLocal(review?: string): void;
  /** Called when the menu must be built again. */
  onChange(): void;
};

/** Saved servers, their windows and the choice between them. */
export type Servers = ReturnType<typeof createServers>;

const preload = (name: string): string => path.join(app.getAppPath(), 'dist/desktop/preload', `${name}.cjs`);

/** Reports whether a path shows an install link, which any server takes. A folder or a repository is for this machine. */
const isReview = (page: string): boolean => page.startsWith('/new?') && !page.startsWith('/new?url=');

export function createServers({ localOrigin, showLocal, onChange }: ServersOptions) {
  const list = openServerList(path.join(app.getPath('userData'), 'servers.json'));
  const open = new Map<string, RemoteServer>();
  const remoteOf = (server: SavedServer): RemoteServer => {
    const remote =
      open.get(server.id) ??
      createRemoteServer({
        server,
        preload: preload('notice-preload'),
        find: () => list.find(server.id),
        saveIssuer: (issuer) => list.change(server.id, { issuer }),
        onChange,
      });
    open.set(server.id, remote);
    return remote;
  };
  const focused = (): RemoteServer | undefined => [...open.values()].find((remote) => remote.isFocused());
  const show = (id: string, review?: string) => {
    const server = list.find(id);
    // The port of this machine's server may have become that of a saved one.
    if (!server || isLocalServer(new URL(server.origin), localOrigin)) return showLocal(review);
    remoteOf(server).show(review === undefined ? undefined : server.origin + review);
  };
  const manage = createManageWindow({
    list,
    localOrigin,
    preload: preload('manage-preload'),
    show,
    showLocal,
    onChange: () => {
      for (const remote of open.values()) remote.relabel();
      onChange();
    },
    clear: async (server) => {
      await remoteOf(server).clear();
      open.delete(server.id);
    },
  });
  ipcMain.handle(noticeChannel, ({ sender, senderFrame }, ...args: unknown[]) => {
    const remote = [...open.values()].find((one) => one.contents() === sender);
    const isPage = senderFrame !== null && senderFrame.parent === null;
    const notice = readNotice(args, serverTexts().notices);
    if (!remote || !isPage || !notice) return false;
    return decideServerNavigation(senderFrame.url, remote.origin) === 'inside' && remote.notify(notice);
  });

  return {
    menu: (): MenuItemConstructorOptions =>
      serverMenu({
        t: serverTexts(),
        servers: list.all(),
        isCurrent: (id) => open.get(id)?.isFocused() === true,
        showLocal: () => showLocal(),
        show: (id) => show(id),
        manage: manage.show,
      }),
    /** Takes the review of an install link when there are several servers, and lets the person choose one. */
    takeLink(page: string | undefined): boolean {
      const isTaken = page !== undefined && list.all().length > 0 && isReview(page);
      if (isTaken) manage.choose(page);
      return isTaken;
    },
    /** Returns the page of the focused window, if it is that of a saved server. */
    focusedContents: (): WebContents | undefined => focused()?.contents(),
    /** Opens the server of the focused window in the browser. Returns false for the desktop's own server. */
    openFocusedInBrowser(): boolean {
      const remote = focused();
      if (remote) shell.openExternal(`${remote.origin}/`).catch(() => undefined);
      return remote !== undefined;
    },
    /** Says in the title of the desktop's own window that it shows this machine, once there are others. */
    labelLocal(window: BrowserWindow): void {
      window.on('page-title-updated', (event, title) => {
        if (list.all().length === 0) return;
        event.preventDefault();
        window.setTitle(`${title} – ${serverTexts().local}`);
      });
    },
    hide(): void {
      manage.close();
      for (const remote of open.values()) remote.hide();
    },
  };
}
