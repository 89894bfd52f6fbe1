import { bounds } from './bounds.ts';
import { checkRedirect } from './connect-rules.ts';
import { GitError, refused } from './git-error.ts';
import type { ObjectFormat } from './git-object.ts';
import type { GitAccess, GitCredential, GitRemoteRequest } from './git-types.ts';
import { type HttpClient, type HttpResponse, mediaType } from './http-client.ts';
import { failureOfStatus } from './http-failure.ts';
import { packetText, readPackets } from './pkt-line.ts';
import { checkFormat, collectAdvertisedRef, type ListedRef } from './ref-list.ts';

/** A repository that has answered: where it really is, and what it speaks. `refs` come along in version 0 only. */
export type Remote = {
  /** Without the parts of the protocol, and without a trailing slash. */
  base: string;
  headers: Record<string, string>;
  hasCredential: boolean;
  capabilities: Map<string, string | undefined>;
  format: ObjectFormat;
} & ({ version: 2 } | { version: 0; refs: ListedRef[] });

const service = 'git-upload-pack';
const advertisement = `/info/refs?service=${service}`;
export const agent = 'git/groundctl';

/**
 * Asks a smart HTTP server (gitprotocol-http) what it is, in protocol version 2 if it can. Redirects are followed here
 * only, each held against the rules of Git URLs; the credential stays with the origin it was given for.
 */
export async function discover(http: HttpClient, request: GitRemoteRequest, access: GitAccess): Promise<Remote> {
  let url = new URL(`${request.url}${advertisement}`);
  let headers = commonHeaders(request.credential);
  for (let redirects = 0; redirects <= bounds.redirects; redirects += 1) {
    const hasCredential = 'authorization' in headers;
    const response = await http.send({ method: 'GET', url, headers, maxBytes: bounds.refListBytes });
    if (response.status === 200) return readAdvertisement(response, { base: baseOf(url), headers, hasCredential });
    const failure = failureOfStatus(response.status, hasCredential);
    if (failure) throw failure;
    const next = redirectTarget(url, response, access);
    if (next.origin !== url.origin) headers = commonHeaders(undefined);
    url = next;
  }
  throw refused('The Git server redirects in circles. Use the address it leads to.');
}

function commonHeaders(credential: GitCredential | undefined): Record<string, string> {
  const pair = credential && Buffer.from(`${credential.username}:${credential.password}`).toString('base64');
  return {
    'user-agent': agent,
    accept: '*/*',
    'git-protocol': 'version=2',
    ...(pair && { authorization: `Basic ${pair}` }),
  };
}

const baseOf = (url: URL): string => url.href.slice(0, -advertisement.length);

function redirectTarget(from: URL, response: HttpResponse, access: GitAccess): URL {
  const location = response.headers.location;
  const to = location === undefined ? null : URL.parse(location, from);
  if (!to?.href.endsWith(advertisement)) {
    throw new GitError(
      'source_not_git',
      'The server redirects to a page that is not a Git repository. Check the address.',
    );
  }
  checkRedirect(from, to, access);
  return to;
}

type Answered = Pick<Remote, 'base' | 'headers' | 'hasCredential'>;

async function readAdvertisement(response: HttpResponse, answered: Answered): Promise<Remote> {
  if (mediaType(response) !== `application/x-${service}-advertisement`) {
    throw new GitError('source_not_git', 'What answers at this address is not a Git repository. Check the address.');
  }
  const lines: string[] = [];
  await readPackets(response.body, (packet) => {
    if (packet.kind === 'data') lines.push(packetText(packet.bytes));
  });
  // Some servers leave the service line out in version 2.
  if (lines[0] === `# service=${service}`) lines.shift();
  return lines[0] === 'version 2' ? readVersion2(lines, answered) : readVersion0(lines, answered);
}

function readVersion2(lines: readonly string[], answered: Answered): Remote {
  const capabilities = new Map(lines.slice(1).map(splitCapability));
  return { version: 2, ...answered, capabilities, format: checkFormat(capabilities.get('object-format')) };
}

/** The first ref carries the capabilities behind a NUL; an empty repository has a zero id named `capabilities^{}`. */
function readVersion0(lines: readonly string[], answered: Answered): Remote {
  const [head = '', features = ''] = (lines[0] ?? '').split('\0');
  const capabilities = new Map(features.split(' ').map(splitCapability));
  const refs = new Map<string, ListedRef>();
  const isEmpty = lines.length === 0 || head.endsWith(' capabilities^{}');
  for (const line of isEmpty ? [] : [head, ...lines.slice(1)]) {
    if (!line.startsWith('shallow ')) collectAdvertisedRef(refs, line);
  }
  const target = /(?:^| )symref=HEAD:(\S+)/.exec(features)?.[1];
  const atHead = refs.get('HEAD');
  if (atHead && target) atHead.symref = target;
  const format = checkFormat(capabilities.get('object-format'));
  const { 'git-protocol': _, ...headers } = answered.headers;
  return { version: 0, ...answered, headers, capabilities, format, refs: [...refs.values()] };
}

function splitCapability(text: string): [string, string | undefined] {
  const cut = text.indexOf('=');
  return cut < 0 ? [text, undefined] : [text.slice(0, cut), text.slice(cut + 1)];
}
