import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';

type LongRequest = {
  method: string;
  headers: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer> | undefined;
  signal?: AbortSignal | undefined;
};

/** A lost server is noticed by the probes of the connection, which the operating system sends. */
const probeAfterMs = 30_000;
const withoutContent = new Set([204, 304]);

/**
 * Sends a request like `fetch`, and waits for its answer as long as the connection lasts: `fetch` ends a request that is
 * silent for five minutes. A redirect is not followed.
 */
export function sendLongRequest(url: string, { method, headers, body, signal }: LongRequest): Promise<Response> {
  const { request: open } = url.startsWith('https:') ? https : http;
  return new Promise((resolve, reject) => {
    const request = open(url, { method, headers, agent: false, ...(signal && { signal }) }, (answer) =>
      resolve(responseOf(answer)),
    );
    request.on('socket', (socket) => socket.setKeepAlive(true, probeAfterMs));
    request.on('error', reject);
    request.end(body);
  });
}

function responseOf(answer: http.IncomingMessage): Response {
  const { statusCode: status = 0, headersDistinct } = answer;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct))
    for (const value of values) headers.append(name, value);
  if (!withoutContent.has(status)) return new Response(Readable.toWeb(answer) as BodyInit, { status, headers });
  answer.resume();
  return new Response(null, { status, headers });
}
