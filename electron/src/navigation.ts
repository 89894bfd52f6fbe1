import { type DownloadItem, type Session, shell, type WebContents } from 'electron';
import { isConnectLink } from '#shared/sources/return-uri';

/** Target of an address: the window, the system's browser, an app if the person agrees, or none. */
type Navigation = 'inside' | 'browser' | 'app' | 'denied';

const maxAddressLength = 2_048;

/**
 * The window shows only the server's own pages. An address with a user name or password is not opened, because such an
 * address imitates another host. Of the other schemes only the return link to the app of an install link is allowed.
 */
export function decideNavigation(address: string, origin: string): Navigation {
  const url = address.length <= maxAddressLength ? URL.parse(address) : null;
  if (!url) return 'denied';
  if (!['http:', 'https:'].includes(url.protocol)) return isConnectLink(address, origin) ? 'app' : 'denied';
  if (url.username !== '' || url.password !== '') return 'denied';
  return url.origin === origin ? 'inside' : 'browser';
}

/**
 * Keeps a window on the pages of `origin`; an external link goes to the system's browser, a link to an app to
 * `askForApp`.
 */
export function guardContents(contents: WebContents, origin: string, confirmOpenApp: (address: string) => void): void {
  contents.on('will-navigate', (event) => {
    const decision = decideNavigation(event.url, origin);
    if (decision !== 'inside') event.preventDefault();
    if (decision === 'browser') openInBrowser(event.url);
    if (decision === 'app') confirmOpenApp(event.url);
  });
  // No one clicked on the target of a redirect, so it is not passed on.
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
    // There is one window, so a page that requests another window is shown in it.
    if (decision === 'inside') void contents.loadURL(url);
    return { action: 'deny' };
  });
}

/** Passes on the normalized form, which contains no control character. */
function openInBrowser(address: string): void {
  shell.openExternal(new URL(address).href).catch(() => undefined);
}

/** The only permissions that a page may use: the copy buttons, and notifications, which the system shows. */
const allowedPermissions: readonly string[] = ['clipboard-sanitized-write', 'notifications'];

type DownloadFacts = Pick<DownloadItem, 'getURL' | 'getFilename'>;

/** The only file that the dashboard creates: the log of a Run, named by its id. */
const logName = /^[a-z_]{1,40}_[0-9A-Z]{26}\.log$/;

const isLog = (item: DownloadFacts, origin: string): boolean =>
  item.getURL().startsWith(`blob:${origin}/`) && logName.test(item.getFilename());

/** The only file that the server sends to be stored: a backup, named by its id. */
const backupName = /^bkp_[0-9A-Z]{26}\.age$/;
const backupPath = /^\/api\/v1\/workspaces\/[\w-]+\/backups\/bkp_[0-9A-Z]{26}\/download$/;

function isBackup(item: DownloadFacts, origin: string): boolean {
  const url = new URL(item.getURL());
  return url.origin === origin && backupPath.test(url.pathname) && backupName.test(item.getFilename());
}

/**
 * Refuses browser features that pages can request: devices, dictionaries from the network, and downloads
 * other than the log of a Run and a backup, for which the system asks for the location.
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
    if (isLog(item, origin) || isBackup(item, origin)) item.setSaveDialogOptions({ defaultPath: item.getFilename() });
    else event.preventDefault();
  });
}
