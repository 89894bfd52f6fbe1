import { readInstallLink, writeInstallLink } from '#shared/sources/install-link';

/*
 * An install link that was opened before sign-in. The sign-in link opens in any tab of the browser, so the install link
 * is stored for a short time where every tab finds it, and is validated again when it is taken.
 */
const key = 'install.link';
const maxAgeMs = 60 * 60 * 1_000;

/** Saves the link of this address; false when the address is not an install link. */
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

/** Returns the address of the saved link and removes it. */
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
