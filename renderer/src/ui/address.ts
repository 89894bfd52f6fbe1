import { visibleText } from './visible-text.ts';

/** An address as it may be shown: the host in punycode, so that look-alike letters are seen, and nothing hidden. */
export const addressText = (address: string): string =>
  visibleText(URL.parse(address)?.href.replace(/\/$/, '') ?? address);

/** The address when it leads to a web page, else undefined: nothing else becomes a link. */
export function webAddress(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 2_048) return undefined;
  const url = URL.parse(value);
  return url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' ? url.href : undefined;
}
