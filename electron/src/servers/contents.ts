import type { WebContents } from 'electron';
import { decideServerNavigation, decideServerRedirect, isSignInRequestAllowed } from './navigation.ts';

/** Calls for what a page requests outside its window. Each one asks the person, and does nothing without consent. */
export type PageRequests = {
  openInBrowser(address: string): void;
  openApp(address: string): void;
  signIn(address: string): void;
};

/** Denies a page everything but its document: other windows, embedded pages, and a say in how its window closes. */
export function lockContents(contents: WebContents): void {
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.on('will-prevent-unload', (event) => event.preventDefault());
  contents.on('content-bounds-updated', (event) => event.preventDefault());
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
}

/** Keeps a page of the desktop itself, such as the strip, where it is. */
export function lockOwnContents(contents: WebContents): void {
  lockContents(contents);
  contents.on('will-navigate', (event) => event.preventDefault());
  contents.on('will-frame-navigate', (event) => event.preventDefault());
}

/** Keeps the page of a saved server on its origin. */
export function guardServerContents(contents: WebContents, origin: string, requests: PageRequests): void {
  const leave = (address: string) => {
    const decision = decideServerNavigation(address, origin);
    if (decision === 'browser') requests.openInBrowser(address);
    if (decision === 'app') requests.openApp(address);
    return decision === 'inside';
  };
  let from = '';
  lockContents(contents);
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp');
  contents.on('will-navigate', (event) => {
    from = event.url;
    if (!leave(event.url)) event.preventDefault();
  });
  contents.on('will-redirect', (event) => {
    const decision = decideServerRedirect(from, event.url, origin);
    if (decision !== 'inside' || !event.isMainFrame) event.preventDefault();
    if (decision === 'sign-in' && event.isMainFrame) requests.signIn(event.url);
  });
  contents.on('will-frame-navigate', (event) => {
    if (!event.isMainFrame) event.preventDefault();
  });
  contents.setWindowOpenHandler(({ url }) => {
    // There is one window for each server, so a page that requests another window is shown in it.
    if (leave(url)) contents.loadURL(url).catch(() => undefined);
    return { action: 'deny' };
  });
}

/** Keeps the window of a sign-in provider on https; `onReturn` gets the first page of the server after it. */
export function guardSignInContents(contents: WebContents, origin: string, onReturn: (address: string) => void): void {
  lockContents(contents);
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp');
  const stop = (event: { url: string; preventDefault(): void }) => {
    const isAllowed = decideServerNavigation(event.url, origin) === 'inside' || isSignInRequestAllowed(event.url);
    if (!isAllowed) event.preventDefault();
  };
  contents.on('will-navigate', stop);
  contents.on('will-redirect', stop);
  contents.on('did-navigate', (_event, address) => {
    if (decideServerNavigation(address, origin) === 'inside') onReturn(address);
  });
}
