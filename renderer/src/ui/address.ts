import { visibleText } from './visible-text.ts';

/**
 * Returns an address for display: the host in punycode, so that look-alike letters are visible, and no hidden parts.
 */
export const addressText = (address: string): string =>
  visibleText(URL.parse(address)?.href.replace(/\/$/, '') ?? address);

/** Returns the text when it is a web address that leads exactly where it says. Nothing else becomes a link. */
export function webAddress(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 2_048 || /[\s\\]/.test(value)) return undefined;
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol) || !value.startsWith(url.origin)) return undefined;
  return /^(?:$|[/?#])/.test(value.slice(url.origin.length)) ? value : undefined;
}
