import { app } from 'electron';
import { pageOfDeepLink } from '#shared/dashboard/deep-link';
import { deepLinkScheme } from '#shared/sources/link-address';

/** Returns the page of a link on a server. A refused install link has one too, which shows why. */
export const deepLinkAddress = (link: string, origin: string): string => `${origin}${pageOfDeepLink(link) ?? '/'}`;

/**
 * Registers for what the system opens with the desktop. macOS reports links and folders as events; an installed desktop
 * registers for the links of this account.
 */
export function registerOpened(onOpened: (opened: string) => void): void {
  app.on('open-url', (event, link) => {
    event.preventDefault();
    onOpened(link);
  });
  app.on('open-file', (event, file) => {
    event.preventDefault();
    onOpened(file);
  });
  if (app.isPackaged) app.setAsDefaultProtocolClient(deepLinkScheme);
}
