import type { GetRemoteInfo2Result, ServerRef } from 'isomorphic-git';
import { bounds } from './bounds.ts';
import { checkRedirect } from './connect-rules.ts';
import { GitError, refused } from './git-error.ts';
import { type Library, libraryHttp, loadLibrary, wholeAnswer } from './git-library.ts';
import type { ObjectFormat } from './git-object.ts';
import type { GitAccess, GitCredential, GitRemoteRequest } from './git-types.ts';
import { type HttpClient, type HttpResponse, mediaType } from './http-client.ts';
import { failureOfStatus } from './http-failure.ts';
import { createPeelCheck } from './peeled-lines.ts';
import { checkFormat, type ListedRef, notGit, toListedRef } from './ref-list.ts';

/** Resolved address of a repository and the request settings for it. */
type RemoteEndpoint = {
  /** URL without the parts of the protocol, and without a trailing slash. */
  base: string;
  headers: Record<string, string>;
  hasCredential: boolean;
};
/** `advertisement` is the unparsed response to `info/refs`. */
type Answered = RemoteEndpoint & { advertisement: Buffer };

/** A repository that has responded, with its protocol. `refs` are included only in version 0. */
export type Remote = RemoteEndpoint & { capabilities: ReadonlySet<string>; format: ObjectFormat } & (
    | { version: 2; advertisement: Buffer }
    | { version: 0; refs: ListedRef[] }
  );

const service = 'git-upload-pack';
const path = `/info/refs?service=${service}`;
export const agent = 'git/groundctl';

/** Discovers a smart HTTP server (gitprotocol-http), in protocol version 2 if it supports it. Throws `GitError`. */
export async function discover(http: HttpClient, request: GitRemoteRequest, access: GitAccess): Promise<Remote> {
  // The library loads while the server responds.
  const [answered, library] = await Promise.all([fetchAdvertisement(http, request, access), loadLibrary()]);
  return toRemote(answered, await describe(library, answered));
}

/**
 * Fetches the advertisement. Redirects are followed only here, each checked against the rules of Git URLs. The
 * credential is sent only to its original origin.
 */
async function fetchAdvertisement(http: HttpClient, request: GitRemoteRequest, access: GitAccess): Promise<Answered> {
  let url = new URL(`${request.url}${path}`);
  let headers = commonHeaders(request.credential);
  for (let redirects = 0; redirects <= bounds.redirects; redirects += 1) {
    const hasCredential = 'authorization' in headers;
    const response = await http.send({ method: 'GET', url, headers, maxBytes: bounds.refListBytes });
    if (response.status === 200) {
      return { base: baseOf(url), headers, hasCredential, advertisement: await readAdvertisement(response) };
    }
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

const baseOf = (url: URL): string => url.href.slice(0, -path.length);

function redirectTarget(from: URL, response: HttpResponse, access: GitAccess): URL {
  const location = response.headers.location;
  const to = location === undefined ? null : URL.parse(location, from);
  if (!to?.href.endsWith(path)) {
    throw new GitError(
      'source_not_git',
      'The server redirects to a page that is not a Git repository. Check the address.',
    );
  }
  checkRedirect(from, to, access);
  return to;
}

async function readAdvertisement(response: HttpResponse): Promise<Buffer> {
  if (mediaType(response) !== `application/x-${service}-advertisement`) {
    throw new GitError('source_not_git', 'What answers at this address is not a Git repository. Check the address.');
  }
  return wholeAnswer(response.body, createPeelCheck());
}

/**
 * Parses an advertisement with the library. The bytes were already received, so any error means they are unreadable.
 */
async function describe(library: Library, { base, advertisement }: Answered): Promise<GetRemoteInfo2Result> {
  const http = libraryHttp(advertisement, () => Promise.reject(notGit()));
  return library.getRemoteInfo2({ http, url: base, protocolVersion: 2 }).catch(() => {
    throw notGit();
  });
}

/** Detects the `shallow <id>` lines of a shallow repository, which isomorphic-git reads as refs. */
const isShallowLine = (ref: ServerRef): boolean => ref.oid === 'shallow';

function toRemote({ advertisement, ...endpoint }: Answered, info: GetRemoteInfo2Result): Remote {
  const capabilities = new Set(Object.keys(info.capabilities));
  const known = { ...endpoint, capabilities, format: checkFormat(info.capabilities['object-format']) };
  if (info.protocolVersion === 2) return { version: 2, ...known, advertisement };
  const { 'git-protocol': _, ...headers } = endpoint.headers;
  const refs = (info.refs ?? []).filter((ref) => !isShallowLine(ref)).map(toListedRef);
  return { version: 0, ...known, headers, refs };
}
