import { readQuery, writeQuery } from './link-query.ts';

/** Address at which a client is notified of an installation, and the client's key for it. */
export type ReturnTarget = { product: string; uri: string };

const productKey = /^[a-z0-9][a-z0-9._:-]{0,63}$/;

/** A generic key of a client's product, such as `notes.app`. */
export const isProductKey = (text: string): boolean => productKey.test(text);

/** Schemes that run something, show something else than they say, or are not a callback. */
const forbiddenSchemes = new Set(
  'javascript data vbscript file blob about filesystem view-source http ws wss ftp mailto'.split(' '),
);
const maxLength = 2_048;
/** `scheme://authority/path`, of the characters that RFC 3986 allows. */
const shape = /^([a-z][a-z0-9+.-]*):\/\/([^/]*)(\/.*)?$/;
const unwritable = /[^!$&'()*+,\-./0-9:;=@A-Z[\]_a-z~%]|%(?![0-9A-Fa-f]{2})/;

type ReturnUriRefusal = 'invalid_field' | 'return_uri_forbidden';

/**
 * Returns the reason why a text is not a valid return address; undefined when it is valid: `https:`, or the scheme of
 * an app in authority form, without user name, query or fragment. It is used exactly as written.
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

/** Returns the target of a return address as shown to a person: the origin of a web page, or the scheme of an app. */
export function describeReturnUri(uri: string): { kind: 'web' | 'app'; text: string } {
  if (!uri.startsWith('https://')) return { kind: 'app', text: uri.slice(0, uri.indexOf('://') + 3) };
  return { kind: 'web', text: new URL(uri).origin };
}

/** Result of an installation that is sent to the client. */
type ConnectPayload = { hostUrl: string; runId: string; capsuleId: string };

/** Returns the address that carries the result; only a link for a person to follow. */
export const connectLink = (target: ReturnTarget, { hostUrl, runId, capsuleId }: ConnectPayload): string =>
  `${target.uri}?${writeQuery({ host_url: hostUrl, product: target.product, run_id: runId, capsule_id: capsuleId })}`;

const payloadNames = ['host_url', 'product', 'run_id', 'capsule_id'];

/**
 * Reports whether an address is one that `connectLink` creates on this server: a return address with exactly the result
 * parameters.
 */
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
