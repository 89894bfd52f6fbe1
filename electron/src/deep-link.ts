import { app } from 'electron';
import { deepLinkScheme, installLinkSearch } from '#shared/sources/link-address';

/** The install link that the program was started with: systems hand it over as an argument. */
export const findDeepLink = (argv: readonly string[]): string | undefined =>
  argv.find((argument) => argument.startsWith(`${deepLinkScheme}://`) && installLinkSearch(argument) !== undefined);

/** The page that reviews a link, or says why it is refused: the page judges the same query by the same rules. */
export const deepLinkAddress = (link: string, origin: string): string =>
  `${origin}/new${installLinkSearch(link) ?? ''}`;

/** Takes the links of this account, in an installed desktop; macOS hands them over as events. */
export function registerDeepLinks(onLink: (link: string) => void): void {
  app.on('open-url', (event, link) => {
    event.preventDefault();
    const deepLink = findDeepLink([link]);
    if (deepLink !== undefined) onLink(deepLink);
  });
  if (app.isPackaged) app.setAsDefaultProtocolClient(deepLinkScheme);
}
