import http from 'node:http';
import https from 'node:https';
import { certificatesOf } from '#server/kernel/certificates';
import { bounds } from './bounds.ts';
import { guardedLookup } from './connect-rules.ts';
import { GitError, tooLarge } from './git-error.ts';
import type { GitAccess } from './git-types.ts';
import { asGitError, gitPeer, type Peer } from './http-failure.ts';

type HttpRequest = {
  method: 'GET' | 'POST';
  url: URL;
  headers: Record<string, string>;
  body?: string | Uint8Array;
  /** Maximum bytes of the body; more is `source_too_large`. */
  maxBytes: number;
};
export type HttpResponse = { status: number; headers: http.IncomingHttpHeaders; body: AsyncIterable<Buffer> };
/** Sends requests over keep-alive connections until it is closed. It follows no redirect. */
export type HttpClient = { send: (request: HttpRequest) => Promise<HttpResponse>; close: () => void };

/** Returns the media type of a response without its parameters. */
export const mediaType = (response: HttpResponse): string =>
  (response.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** `signal` ends all running requests; their promises then reject with its reason. */
export function createHttpClient(access: GitAccess, signal: AbortSignal, peer: Peer = gitPeer): HttpClient {
  const plain = new http.Agent({ keepAlive: true });
  let secure: https.Agent | undefined;
  const agentFor = (url: URL): http.Agent => {
    if (url.protocol !== 'https:') return plain;
    secure ??= createSecureAgent(access);
    return secure;
  };
  const send = (request: HttpRequest) => sendOnce(request, { access, signal, peer, agent: agentFor(request.url) });
  const close = () => {
    plain.destroy();
    secure?.destroy();
  };
  return { send, close };
}

function createSecureAgent(access: GitAccess): https.Agent {
  return new https.Agent({
    keepAlive: true,
    ...readCertificates(access.caFile),
    ...(access.httpsProxy && { proxyEnv: { HTTPS_PROXY: access.httpsProxy } }),
  });
}

function readCertificates(caFile: string | undefined): ReturnType<typeof certificatesOf> {
  try {
    return certificatesOf(caFile);
  } catch {
    throw new GitError(
      'source_tls_failed',
      'The CA file of the settings cannot be read. Correct its path or its mode.',
    );
  }
}

type Sending = { access: GitAccess; signal: AbortSignal; peer: Peer; agent: http.Agent };

function sendOnce(request: HttpRequest, { access, signal, peer, agent }: Sending): Promise<HttpResponse> {
  const isProxied = access.httpsProxy !== undefined && request.url.protocol === 'https:';
  const options: https.RequestOptions = {
    method: request.method,
    headers: request.headers,
    agent,
    signal,
    // The proxy's address comes from the setting, so the rules for repositories do not apply to it.
    ...(!isProxied && { lookup: guardedLookup(access, peer) }),
  };
  return new Promise((resolve, reject) => {
    const module = request.url.protocol === 'https:' ? https : http;
    const outgoing = module.request(request.url, options);
    const findTimeoutError = limitWaiting(outgoing, peer);
    const failure = (error: unknown) =>
      signal.aborted ? signal.reason : (findTimeoutError() ?? asGitError(error, peer));
    outgoing.once('error', (error) => reject(failure(error)));
    outgoing.once('response', (incoming) => {
      const { statusCode: status = 0, headers } = incoming;
      resolve({ status, headers, body: readBody(incoming, { maxBytes: request.maxBytes, peer }, failure) });
    });
    outgoing.end(request.body);
  });
}

/**
 * Sets two timeouts on the socket: a short one until it is connected, then a longer one between any two bytes. Returns
 * a function that yields the failure once a timeout has expired, because the body of an ended request only reports that
 * it was cut off.
 */
function limitWaiting(outgoing: http.ClientRequest, { server }: Peer): () => GitError | undefined {
  let timeoutError: GitError | undefined;
  let isConnected = false;
  const connected = () => {
    isConnected = true;
    outgoing.setTimeout(bounds.idleMs);
  };
  outgoing.once('socket', (socket) => {
    if (socket.connecting) socket.once('connect', connected);
    else connected();
  });
  outgoing.setTimeout(bounds.connectMs);
  outgoing.on('timeout', () => {
    timeoutError = isConnected
      ? new GitError('source_timed_out', `The ${server} stopped answering. Try again later.`)
      : new GitError('source_unreachable', `The ${server} does not answer. Check the address and the network.`);
    outgoing.destroy(timeoutError);
  });
  return () => timeoutError;
}

async function* readBody(
  incoming: http.IncomingMessage,
  { maxBytes, peer }: { maxBytes: number; peer: Peer },
  failure: (error: unknown) => unknown,
): AsyncGenerator<Buffer> {
  let received = 0;
  try {
    for await (const chunk of incoming) {
      received += (chunk as Buffer).length;
      if (received > maxBytes)
        throw tooLarge(
          `The ${peer.server} sends more than ${maxBytes >> 20} MiB, which is more than a source may have.`,
        );
      yield chunk as Buffer;
    }
  } catch (error) {
    throw failure(error);
  } finally {
    incoming.destroy();
  }
}
