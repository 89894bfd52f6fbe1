import { readQuery, writeQuery } from './link-query.ts';

/** Where a client wants to be told of what was installed for it, and under which key it knows that. */
export type ReturnTarget = { product: string; uri: string };

const productKey = /^[a-z0-9][a-z0-9._:-]{0,63}$/;

/** A generic key of a client's product, such as `notes.app` (Manifest 2.12, rule 5). */
export const isProductKey = (text: string): boolean => productKey.test(text);

/** Schemes that run something, show something else than they say, or are no callback (Manifest 2.12, rule 6). */
const forbiddenSchemes = new Set(
  'javascript data vbscript file blob about filesystem view-source http ws wss ftp mailto'.split(' '),
);
const maxLength = 2_048;
/** `scheme://authority/path`, of the characters that RFC 3986 has for them. */
const shape = /^([a-z][a-z0-9+.-]*):\/\/([^/]*)(\/.*)?$/;
const unwritable = /[^!$&'()*+,\-./0-9:;=@A-Z[\]_a-z~%]|%(?![0-9A-Fa-f]{2})/;

export type ReturnUriRefusal = 'invalid_field' | 'return_uri_forbidden';

/**
 * Why a text is no place to return to; undefined when it is one: `https:`, or the scheme of an app in authority form,
 * without user name, query or fragment. It is used exactly as it is written.
 */
export function findReturnUriRefusal(text: string): ReturnUriRefusal | undefined {
  const scheme = /^[a-z][a-z0-9+.-]*(?=:)/i.exec(text)?.[0].toLowerCase();
  if (scheme !== undefined && forbiddenSchemes.has(scheme)) return 'return_uri_forbidden';
  if (text.length > maxLength || unwritable.test(text)) return 'invalid_field';
  const [, , authority, path] = shape.exec(text) ?? [];
  if (authority === undefined || authority.includes('@')) return 'invalid_field';
  if (authority === '' && (scheme === 'https' || path === undefined || path === '/')) return 'invalid_field';
  return URL.parse(text) ? undefined : 'invalid_field';
}

/** Where a return leads, as a person should see it: the origin of a web page, or the scheme of an app. */
export function describeReturnUri(uri: string): { kind: 'web' | 'app'; text: string } {
  if (!uri.startsWith('https://')) return { kind: 'app', text: uri.slice(0, uri.indexOf('://') + 3) };
  return { kind: 'web', text: new URL(uri).origin };
}

/** What a client is told of the installation it asked for. */
export type ConnectPayload = { hostUrl: string; runId: string; capsuleId: string };

/** The address that tells it; a link for a person to follow, and for nothing else. */
export const connectLink = (target: ReturnTarget, { hostUrl, runId, capsuleId }: ConnectPayload): string =>
  `${target.uri}?${writeQuery({ host_url: hostUrl, product: target.product, run_id: runId, capsule_id: capsuleId })}`;

const payloadNames = ['host_url', 'product', 'run_id', 'capsule_id'];

/** Whether an address is one that `connectLink` makes on this server: a place to return to, told exactly what a client is told. */
export function isConnectLink(address: string, hostUrl: string): boolean {
  const cut = address.indexOf('?');
  const fields = cut < 0 ? [] : readQuery(address.slice(cut));
  const isWhole = fields.length === payloadNames.length && fields.every(({ name }, at) => name === payloadNames[at]);
  const [host, product] = fields;
  return (
    !address.includes('#') &&
    isWhole &&
    host?.value === hostUrl &&
    isProductKey(product?.value ?? '') &&
    findReturnUriRefusal(address.slice(0, cut)) === undefined
  );
}
