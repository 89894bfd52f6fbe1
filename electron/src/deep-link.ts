import { app } from 'electron';
import { deepLinkScheme, installLinkSearch } from '#shared/sources/link-address';

/** Returns the install link that the program was started with: systems pass it as an argument. */
export const findDeepLink = (argv: readonly string[]): string | undefined =>
  argv.find((argument) => argument.startsWith(`${deepLinkScheme}://`) && installLinkSearch(argument) !== undefined);

/**
 * Returns the page that reviews a link, or shows why it is refused: the page checks the same query by the same rules.
 */
export const deepLinkAddress = (link: string, origin: string): string =>
  `${origin}/new${installLinkSearch(link) ?? ''}`;

/** Registers for the links of this account, in an installed desktop; macOS delivers them as events. */
export function registerDeepLinks(onLink: (link: string) => void): void {
  app.on('open-url', (event, link) => {
    event.preventDefault();
    const deepLink = findDeepLink([link]);
    if (deepLink !== undefined) onLink(deepLink);
  });
  if (app.isPackaged) app.setAsDefaultProtocolClient(deepLinkScheme);
}
