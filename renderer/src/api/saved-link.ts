import { readInstallLink, writeInstallLink } from '#shared/sources/install-link';
import { installLinkSearch } from '#shared/sources/link-address';

/*
 * A link that somebody opens before they are signed in. The sign-in link opens in any tab of the browser, so the install
 * link waits where every tab finds it, for a short time, and is judged again when it is taken.
 */
const key = 'install.link';
const maxAgeMs = 60 * 60 * 1_000;

/** Keeps the link of this address; false where the address is none. */
export function keepLink({ pathname, search }: { pathname: string; search: string }): boolean {
  const read = pathname === '/new' ? readInstallLink(search) : undefined;
  if (read?.kind !== 'link') return false;
  try {
    localStorage.setItem(key, JSON.stringify({ query: writeInstallLink(read.link), at: Date.now() }));
    return true;
  } catch {
    return false;
  }
}

/** The review of the link that the desktop was opened with. */
export function reviewOf(address: string | null): string | undefined {
  const search = address === null ? undefined : installLinkSearch(address);
  return search === undefined ? undefined : `/new${search}`;
}

/** The address of the link that waits, once. */
export function takeLink(): string | undefined {
  try {
    const stored = JSON.parse(localStorage.getItem(key) ?? 'null') as { query: string; at: number } | null;
    localStorage.removeItem(key);
    if (stored === null || Date.now() - stored.at > maxAgeMs) return undefined;
    const read = readInstallLink(stored.query);
    return read.kind === 'link' ? `/new?${writeInstallLink(read.link)}` : undefined;
  } catch {
    return undefined;
  }
}
