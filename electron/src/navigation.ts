import { type DownloadItem, type Session, shell, type WebContents } from 'electron';
import { isConnectLink } from '#shared/sources/return-uri';

/** Target of an address: the window, the system's browser, an app if the person agrees, or none. */
export type Navigation = 'inside' | 'browser' | 'app' | 'denied';

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

/** The only permission that a page may use, for the copy buttons. The desktop itself notifies. */
const allowedPermissions: readonly string[] = ['clipboard-sanitized-write'];

type DownloadFacts = Pick<DownloadItem, 'getURL' | 'getFilename'>;

/** Files that the dashboard creates: the log of a Run, named by its id, and a recovery kit. */
const createdNames = [/^[a-z_]{1,40}_[0-9A-Z]{26}\.log$/, /^ground-control-recovery-kit-[0-9a-f]{8}-[\d-]{10}\.txt$/];

const isCreated = (item: DownloadFacts, origin: string): boolean =>
  item.getURL().startsWith(`blob:${origin}/`) && createdNames.some((name) => name.test(item.getFilename()));

/** Files that the server sends to be stored, each named by the id of its record: a backup, and an installable copy. */
const sentFiles = [
  { path: /^\/api\/v1\/workspaces\/[\w-]+\/backups\/bkp_[0-9A-Z]{26}\/download$/, name: /^bkp_[0-9A-Z]{26}\.age$/ },
  { path: /^\/api\/v1\/copies\/copy_[0-9A-Z]{26}\/repository$/, name: /^copy_[0-9A-Z]{26}\.git\.tar$/ },
];

function isSent(item: DownloadFacts, origin: string): boolean {
  const url = new URL(item.getURL());
  return (
    url.origin === origin &&
    sentFiles.some(({ path, name }) => path.test(url.pathname) && name.test(item.getFilename()))
  );
}

/**
 * Refuses browser features that pages can request: devices, dictionaries from the network, and downloads
 * other than the files above, for which the system asks for the location.
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
    if (isCreated(item, origin) || isSent(item, origin)) item.setSaveDialogOptions({ defaultPath: item.getFilename() });
    else event.preventDefault();
  });
}
