import type { Json } from '#shared/kernel/json';

/**
 * Returns the canonical form of a resource URI (RFC 8707, 2): lower-case host, no default port, no query and no
 * fragment. Undefined unless the value is an absolute HTTP or HTTPS URI without credentials.
 */
export function resourceUriOf(value: Json | undefined): string | undefined {
  if (typeof value !== 'string' || !/^https?:\/\/[^\s\\]+$/i.test(value) || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  if (url.username !== '' || url.password !== '') return undefined;
  url.search = '';
  url.hash = '';
  return url.href;
}

/** Only an HTTPS resource can be claimed and receive tokens. */
export const isClaimable = (uri: string | undefined): uri is string => uri?.startsWith('https://') === true;

export const hostnameOf = (uri: string): string => new URL(uri).hostname;
