import { app } from 'electron';
import { deepLinkScheme } from '#shared/sources/link-address';

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
