import { readInstallLink } from './install-link.ts';

/** The scheme that the desktop opens install links under. */
export const deepLinkScheme = 'groundctl';
const maxLength = 16_384;

/**
 * Returns the query of an install link for any Ground Control: `https://<origin>/install?…`, the review that it leads
 * to, or `groundctl://install?…`. Undefined for any other text. The query is not checked here.
 */
export function installLinkSearch(address: string): string | undefined {
  const text = address.trim();
  const url = text.length <= maxLength && !/\p{Cc}/u.test(text) ? URL.parse(text) : null;
  if (!url) return undefined;
  if (url.protocol === `${deepLinkScheme}:`)
    return url.host === 'install' && /^\/?$/.test(url.pathname) ? url.search : undefined;
  if (!/^https?:$/.test(url.protocol) || url.search === '') return undefined;
  if (url.pathname === '/install') return url.search;
  return url.pathname === '/new' && readInstallLink(url.search).kind === 'link' ? url.search : undefined;
}
