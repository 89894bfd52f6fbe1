import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { certificatesOf } from '#server/kernel/certificates';

/** Settings of this server for requests to other machines. */
export type Outgoing = { caFile: string | undefined; httpsProxy: string | undefined };

export type OutgoingRequest = {
  method: 'POST' | 'DELETE';
  url: URL;
  headers: Record<string, string>;
  body?: string;
  timeoutMs: number;
  /** Bytes of the answer. */
  maxBytes: number;
  signal?: AbortSignal;
  /** Checks the addresses of a name before one is connected to. */
  lookup?: LookupFunction;
};
export type OutgoingAnswer = { status: number; body: string };

/**
 * A request without an answer: `unreachable` when nothing was sent, `no_answer` when the receiver may have acted, and
 * `too_large` for an answer that was cut off.
 */
export class OutgoingError extends Error {
  readonly reason: 'unreachable' | 'no_answer' | 'too_large';
  constructor(reason: OutgoingError['reason'], cause?: unknown) {
    super(`the request failed: ${reason}`, { cause });
    this.reason = reason;
  }
}

/** Sends one request and reads its answer. It follows no redirect. Throws `OutgoingError`. */
export async function sendOutgoing(request: OutgoingRequest, outgoing: Outgoing): Promise<OutgoingAnswer> {
  let agent: http.Agent;
  try {
    agent = createAgent(request.url, outgoing);
  } catch (error) {
    throw new OutgoingError('unreachable', error);
  }
  return sendOnce(request, agent, outgoing).finally(() => agent.destroy());
}

function createAgent({ protocol }: URL, { caFile, httpsProxy }: Outgoing): http.Agent {
  if (protocol !== 'https:') return new http.Agent();
  return new https.Agent({
    ...certificatesOf(caFile),
    ...(httpsProxy && { proxyEnv: { HTTPS_PROXY: httpsProxy } }),
  });
}

function sendOnce(request: OutgoingRequest, agent: http.Agent, { httpsProxy }: Outgoing): Promise<OutgoingAnswer> {
  const { method, url, body = '', lookup, timeoutMs, maxBytes } = request;
  const isSecure = url.protocol === 'https:';
  const deadline = AbortSignal.timeout(timeoutMs);
  const signal = request.signal ? AbortSignal.any([request.signal, deadline]) : deadline;
  const isProxied = isSecure && httpsProxy !== undefined;
  const headers = { ...request.headers, 'content-length': String(Buffer.byteLength(body)), 'user-agent': 'groundctl' };
  return new Promise((resolve, reject) => {
    let isSent = false;
    let isCut = false;
    const fail = (error?: unknown) =>
      reject(new OutgoingError(isCut ? 'too_large' : isSent ? 'no_answer' : 'unreachable', error));
    const sent = (isSecure ? https : http).request(
      url,
      { method, headers, agent, signal, ...(lookup && !isProxied && { lookup }) },
      (answer) => {
        const chunks: Buffer[] = [];
        let received = 0;
        answer.on('data', (chunk: Buffer) => {
          received += chunk.length;
          chunks.push(chunk);
          isCut = received > maxBytes;
          if (isCut) sent.destroy();
        });
        answer.once('end', () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
        answer.once('error', fail);
      },
    );
    sent.once('socket', (socket) => {
      // Through a proxy there is no socket before its tunnel is secure.
      if (isProxied) isSent = true;
      else socket.once(isSecure ? 'secureConnect' : 'connect', () => (isSent = true));
    });
    sent.once('error', fail);
    // A request that is answered by another protocol, or cut off, is closed without an error.
    sent.once('close', () => fail());
    sent.end(body);
  });
}
