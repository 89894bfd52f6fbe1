import type { IncomingHttpHeaders } from 'node:http';
import { checkRedirect, createHttpClient, type GitAccess, GitError, type HttpClient } from '#server/drivers/git/index';
import type { Secret } from '#server/kernel/secret';
import { parseGitUrl } from '#shared/sources/git-address';
import { bounds } from './bounds.ts';
import { PackageError, type PackageErrorCode } from './package-error.ts';

/** Names of the other side in messages. */
export type Peer = { server: string; address: string };
type GetOptions = { maxBytes: number; headers?: Record<string, string>; token?: Secret | undefined };
/** `url` is that of the answer, after redirects. */
export type Answer = { url: URL; status: number; headers: IncomingHttpHeaders; body: AsyncIterable<Buffer> };

/** GET requests that follow redirects by the rules of Git addresses. A token is sent to its first origin only. */
export type PackageHttp = { get: (url: URL, options: GetOptions) => Promise<Answer>; close: () => void };

/** Creates a client whose requests end with `signal`. */
export function createPackageHttp(access: GitAccess, signal: AbortSignal, peer: Peer): PackageHttp {
  const client = createHttpClient(access, signal, peer);
  return {
    get: (url, options) => get({ client, access, peer }, url, options).catch((error) => fail(error)),
    close: client.close,
  };
}

type Sending = { client: HttpClient; access: GitAccess; peer: Peer };

async function get({ client, access, peer }: Sending, start: URL, options: GetOptions): Promise<Answer> {
  checkAddress(start, access, peer);
  let url = start;
  for (let redirects = 0; redirects <= bounds.redirects; redirects += 1) {
    const isFirstOrigin = url.origin === start.origin;
    const headers = {
      'user-agent': 'groundctl',
      accept: '*/*',
      ...options.headers,
      ...(options.token && isFirstOrigin && { authorization: `Bearer ${options.token.reveal()}` }),
    };
    const answer = await client.send({ method: 'GET', url, headers, maxBytes: options.maxBytes });
    const location = answer.headers.location;
    if (answer.status < 300 || answer.status >= 400 || location === undefined) {
      return { ...answer, url, body: translated(answer.body) };
    }
    const next = URL.parse(location, url);
    if (!next) throw new PackageError('address_not_allowed', `The ${peer.server} redirects to an unreadable address.`);
    checkRedirect(url, next, access, peer);
    url = next;
  }
  throw new PackageError('address_not_allowed', `The ${peer.server} redirects in circles.`);
}

/** Refuses an address that is not https or whose host may not be connected to. Its query is not judged. */
function checkAddress(url: URL, access: GitAccess, { address }: Peer): void {
  const parsed = parseGitUrl(`${url.protocol}//${url.host}${url.pathname}`, { ...access, allowLocal: false });
  if (url.protocol === 'https:' && parsed.ok && url.username === '' && url.password === '') return;
  const reason =
    url.protocol === 'https:'
      ? 'names a loopback, link-local, metadata or reserved host, or a user, which is not allowed'
      : 'does not begin with https://, which is not followed';
  throw new PackageError('address_not_allowed', `The ${address} ${reason}.`);
}

async function* translated(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    fail(error);
  }
}

const codes: Partial<Record<string, PackageErrorCode>> = {
  source_unreachable: 'unreachable',
  source_not_git: 'unreachable',
  source_tls_failed: 'tls_failed',
  source_timed_out: 'timed_out',
  source_too_large: 'package_too_large',
  source_fetch_refused: 'address_not_allowed',
};

function fail(error: unknown): never {
  if (!(error instanceof GitError)) throw error;
  throw new PackageError(codes[error.code] ?? 'unreachable', error.message);
}

/** Returns a whole body as bytes. */
export async function wholeBody({ body }: Answer): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Returns the error for a status other than 200 or 204 of a server, or undefined for one of these. */
export function failureOfStatus(status: number, { server }: Peer, hasToken: boolean): PackageError | undefined {
  if (status === 200 || status === 204) return undefined;
  if (status === 401 || status === 403) {
    return hasToken
      ? new PackageError('credential_refused', `The ${server} does not accept the token of the connection. Renew it.`)
      : new PackageError('credential_required', `The ${server} asks for a token. Add a connection for its host.`);
  }
  if (status === 404 || status === 410) {
    return new PackageError('package_not_found', `The ${server} has nothing at the address. Check it.`);
  }
  if (status === 429) return new PackageError('unreachable', `The ${server} has too many requests. Try again later.`);
  return new PackageError('unreachable', `The ${server} answers with HTTP status ${status}. Try again later.`);
}
