/** Reason why a text is not the address of a server that can be saved. */
export type AddressRefusal = 'invalid' | 'credentials' | 'insecure' | 'this-machine' | 'known';

const maxAddressLength = 2_048;
const loopbackHost =
  /^(?:127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]+\]|(?:.+\.)?localhost\.?)$/;

/** Reports whether a host, as `URL` writes it, is this machine by its text. */
export const isLoopbackHost = (host: string): boolean => loopbackHost.test(host);

/**
 * Returns the origin of a server in the text that a person typed or pasted, which may name a page of it. It must be
 * https; only a server on this machine, such as a tunnel, may use http. The desktop's own server is not saved.
 */
export function readServerAddress(
  text: string,
  { localOrigin, saved }: { localOrigin: string; saved: readonly string[] },
): { origin: string } | { refusal: AddressRefusal } {
  const url = parseAddress(text);
  if (!url || url.hostname === '') return { refusal: 'invalid' };
  if (url.username !== '' || url.password !== '') return { refusal: 'credentials' };
  if (!isProtected(url)) return { refusal: 'insecure' };
  if (isLocalServer(url, localOrigin)) return { refusal: 'this-machine' };
  return saved.includes(url.origin) ? { refusal: 'known' } : { origin: url.origin };
}

/** A host without a scheme is https. */
function parseAddress(text: string): URL | undefined {
  const typed = text.trim();
  if (typed === '' || typed.length > maxAddressLength || /[\s\p{C}]/u.test(typed)) return undefined;
  const url = URL.parse(typed.includes('://') ? typed : `https://${typed}`);
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80');

/** Reports whether no one else reads the connection: https, or http that does not leave this machine. */
export const isProtected = (url: URL): boolean => url.protocol === 'https:' || isLoopbackHost(url.hostname);

/** Reports whether an address leads to the desktop's own server, by any of the names of this machine. */
export const isLocalServer = (url: URL, localOrigin: string): boolean =>
  isLoopbackHost(url.hostname) && portOf(url) === portOf(new URL(localOrigin));
