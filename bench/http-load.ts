import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export type LoadRequest = { url: string; token?: string };

const connections = 4;

/**
 * Sends GET requests over four kept connections, one after another on each, and returns the time of all in
 * milliseconds. It only looks for the length of each body, so that the client costs little. Throws when a response is not 200.
 */
export async function loadMs({ url, token }: LoadRequest, requests: number): Promise<number> {
  const { hostname, port, pathname, search, host } = new URL(url);
  const authorization = token === undefined ? '' : `authorization: Bearer ${token}\r\n`;
  const request = `GET ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n${authorization}\r\n`;
  const sockets = Array.from({ length: connections }, () => connect(Number(port), hostname).setNoDelay(true));
  try {
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const start = performance.now();
    await Promise.all(sockets.map((socket) => repeat(socket, request, requests / connections)));
    return performance.now() - start;
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

function repeat(socket: Socket, request: string, count: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let received = Buffer.alloc(0);
  let done = 0;
  socket.on('error', reject);
  socket.on('close', () => reject(new Error('The server closed a connection.')));
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const head = received.subarray(0, okStatus.length);
    if (!okStatus.subarray(0, head.length).equals(head)) return reject(new Error(received.toString('utf8', 0, 300)));
    const size = responseBytes(received);
    if (size === undefined || received.length < size) return;
    received = received.subarray(size);
    done += 1;
    if (done < count) socket.write(request);
    else resolve();
  });
  socket.write(request);
  return promise;
}

const okStatus = Buffer.from('HTTP/1.1 200');

/**
 * Returns the length of the response at the start of the bytes, or undefined before its headers are complete. A body of
 * unknown length is not supported, and ends the benchmark.
 */
export function responseBytes(bytes: Buffer): number | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const length = /\r\ncontent-length: (\d+)/i.exec(bytes.toString('latin1', 0, end));
  if (length === null) throw new Error('A response has no length.');
  return end + 4 + Number(length[1]);
}
