import { session, type WebContents } from 'electron';
import { showWindow } from '../window.ts';
import { guardServerContents } from './contents.ts';
import { createIssuerQuestion } from './issuer-question.ts';
import { createNotifier } from './notifier.ts';
import { createPageRequests } from './page-requests.ts';
import { openPageWindow, type PageWindow } from './page-window.ts';
import type { SavedServer } from './saved.ts';
import { guardServerSession, partitionOf } from './session.ts';
import { createSignInWindow } from './sign-in-window.ts';
import { serverTitle } from './strip.ts';
import { serverTexts } from './texts.ts';

type RemoteServerOptions = {
  server: SavedServer;
  /** Preload of its page. */
  preload: string;
  /** Returns the server as it is saved now; undefined when it was removed. */
  find(): SavedServer | undefined;
  saveIssuer(issuer: string): void;
  /** Called when its window gets the focus or is closed. */
  onChange(): void;
};

/** A saved server whose partition is open in this process, and its windows. */
export type RemoteServer = ReturnType<typeof createRemoteServer>;

/** Opens the partition of a server. Its guard lives as long as the process. */
export function createRemoteServer(options: RemoteServerOptions) {
  const { origin } = options.server;
  const partition = partitionOf(options.server);
  const storage = session.fromPartition(partition);
  let page: PageWindow | undefined;
  let isCertificateRefused = false;
  const named = () => options.find() ?? options.server;
  const ofPage = { origin, name: () => named().name, window: () => page?.window };
  const label = (message?: string) => page?.label({ ...named(), message }, serverTitle(named()));
  const load = (address: string) => page?.contents.loadURL(address).catch(() => undefined);
  const signIn = createSignInWindow({ ...ofPage, partition, onReturn: (address) => show(address) });
  const requests = createPageRequests({ ...ofPage, openSignIn: signIn.open });
  const issuers = createIssuerQuestion(ofPage);
  guardServerSession(storage, origin, {
    server: options.find,
    isSignIn: signIn.isPage,
    confirmIssuer: issuers.confirmIssuer,
    saveIssuer: options.saveIssuer,
    onCertificateRefused: () => {
      isCertificateRefused = true;
    },
    onDownloadRefused: requests.refuseDownload,
  });

  function open(): PageWindow {
    const opened = openPageWindow({ partition, preload: options.preload });
    guardServerContents(opened.contents, origin, requests);
    reportState(opened.contents, {
      label,
      takeRefusal: () => {
        const wasRefused = isCertificateRefused;
        isCertificateRefused = false;
        return wasRefused;
      },
    });
    opened.window.on('focus', options.onChange);
    opened.window.once('closed', () => {
      page = undefined;
      signIn.close();
      issuers.clear();
      options.onChange();
    });
    return opened;
  }
  function show(address?: string): void {
    const isNew = page === undefined;
    page ??= open();
    if (isNew) label();
    showWindow(page.window);
    if (address !== undefined || isNew) void load(address ?? `${origin}/`);
  }
  function close(): void {
    signIn.close();
    page?.window.close();
  }

  return {
    origin,
    show,
    close,
    hide: () => {
      signIn.hide();
      page?.window.hide();
    },
    relabel: () => label(),
    contents: (): WebContents | undefined => page?.contents,
    isFocused: (): boolean => page?.window.isFocused() === true,
    /** Shows a notification that the page requested. Returns false when it is not shown. */
    notify: createNotifier({ origin, name: ofPage.name, show }),
    /** Deletes everything that the pages of the server stored on this machine. */
    async clear(): Promise<void> {
      close();
      await storage.closeAllConnections();
      await Promise.all([storage.clearStorageData(), storage.clearCache(), storage.clearAuthCache()]);
    },
  };
}

/** Error of Chromium for a page that another one replaced before it was loaded. */
const abortedCode = -3;

type StateReport = { label(message?: string): void; takeRefusal(): boolean };

/** Says beside the name of a server why its page is missing. */
function reportState(contents: WebContents, { label, takeRefusal }: StateReport): void {
  contents.on('did-fail-load', (_event, code, reason, _address, isMainFrame) => {
    if (!isMainFrame || code === abortedCode) return;
    const t = serverTexts();
    label(takeRefusal() ? t.certificateRefused : t.unreachable(reason));
  });
  contents.on('did-navigate', () => label());
  contents.on('render-process-gone', (_event, { reason }) => {
    if (reason !== 'clean-exit') label(serverTexts().crashed);
  });
}
