import { type DownloadItem, type Session, shell, type WebContents } from 'electron';
import { isConnectLink } from '#shared/sources/return-uri';

/** Where an address may be opened: in the window, in the system's browser, in an app if the person says so, or nowhere. */
export type Navigation = 'inside' | 'browser' | 'app' | 'denied';

const maxAddressLength = 2_048;

/**
 * The window shows the server's own pages and nothing else. An address with a name or password in it is opened nowhere:
 * it is made to look like another host. Of other schemes there is only the way back to the app of an install link.
 */
export function decideNavigation(address: string, origin: string): Navigation {
  const url = address.length <= maxAddressLength ? URL.parse(address) : null;
  if (!url) return 'denied';
  if (!['http:', 'https:'].includes(url.protocol)) return isConnectLink(address, origin) ? 'app' : 'denied';
  if (url.username !== '' || url.password !== '') return 'denied';
  return url.origin === origin ? 'inside' : 'browser';
}

/** Keeps a window on the pages of `origin`; a link to elsewhere goes to the system's browser, one to an app to `askForApp`. */
export function guardContents(contents: WebContents, origin: string, confirmOpenApp: (address: string) => void): void {
  contents.on('will-navigate', (event) => {
    const decision = decideNavigation(event.url, origin);
    if (decision !== 'inside') event.preventDefault();
    if (decision === 'browser') openInBrowser(event.url);
    if (decision === 'app') confirmOpenApp(event.url);
  });
  // Nobody clicked on the target of a redirect, so it is not handed on.
  contents.on('will-redirect', (event) => {
    if (decideNavigation(event.url, origin) !== 'inside') event.preventDefault();
  });
  contents.on('will-frame-navigate', (event) => {
    if (!event.isMainFrame) event.preventDefault();
  });
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    const decision = decideNavigation(url, origin);
    if (decision === 'browser') openInBrowser(url);
    // There is one window, so what asks for another one is shown in it.
    if (decision === 'inside') void contents.loadURL(url);
    return { action: 'deny' };
  });
}

/** The normalised form is handed on, in which no control character is left. */
function openInBrowser(address: string): void {
  shell.openExternal(new URL(address).href).catch(() => undefined);
}

/** The one thing a page may do that asks for a permission: the copy buttons. */
const allowedPermissions: readonly string[] = ['clipboard-sanitized-write'];

/** The one file the dashboard makes: the log of a Run, named by its id. */
const logName = /^[a-z_]{1,40}_[0-9A-Z]{26}\.log$/;

const isLog = (item: Pick<DownloadItem, 'getURL' | 'getFilename'>, origin: string): boolean =>
  item.getURL().startsWith(`blob:${origin}/`) && logName.test(item.getFilename());

/**
 * Refuses what pages can ask of a browser: devices, notifications, dictionaries from the network, and downloads but the log
 * of a Run, for which the system asks where it is to be kept.
 */
export function guardSession(session: Session, origin: string): void {
  const isAllowed = (permission: string, address: string) =>
    allowedPermissions.includes(permission) && decideNavigation(address, origin) === 'inside';
  session.setPermissionRequestHandler((_contents, permission, answer, { requestingUrl }) =>
    answer(isAllowed(permission, requestingUrl)),
  );
  session.setPermissionCheckHandler((_contents, permission, requester) => isAllowed(permission, requester));
  session.setDevicePermissionHandler(() => false);
  session.setSpellCheckerEnabled(false);
  session.on('will-download', (event, item) => {
    if (isLog(item, origin)) item.setSaveDialogOptions({ defaultPath: item.getFilename() });
    else event.preventDefault();
  });
}
