import { visibleText } from './visible-text.ts';

/** An address as it may be shown: the host in punycode, so that look-alike letters are seen, and nothing hidden. */
export const addressText = (address: string): string =>
  visibleText(URL.parse(address)?.href.replace(/\/$/, '') ?? address);

/** The text itself when it is the address of a web page and leads exactly where it says; nothing else becomes a link. */
export function webAddress(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 2_048 || /[\s\\]/.test(value)) return undefined;
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol) || !value.startsWith(url.origin)) return undefined;
  return /^(?:$|[/?#])/.test(value.slice(url.origin.length)) ? value : undefined;
}
