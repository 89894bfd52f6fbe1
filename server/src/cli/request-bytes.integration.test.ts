import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LineError } from './line-error.ts';
import { requestBytes } from './request-bytes.ts';

let server: http.Server;
let answer: (response: http.ServerResponse) => void;
let url: string;
beforeEach(async () => {
  server = http.createServer((_request, response) => answer(response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

async function readText(): Promise<string> {
  const { chunks } = await requestBytes(url, { method: 'POST', token: 'token', body: {} });
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString();
}

it('returns the bytes as they arrive', async () => {
  answer = (response) => response.end('bytes');
  expect(await readText()).toBe('bytes');
});

it('throws the error of a refusal', async () => {
  const error = { code: 'conflict', message: 'Another backup is being created.' };
  answer = (response) => response.writeHead(409).end(JSON.stringify({ error }));
  await expect(readText()).rejects.toMatchObject({ status: 409, ...error });
});

it('says when something else than the server has answered', async () => {
  answer = (response) => response.writeHead(502).end('<html>');
  await expect(readText()).rejects.toMatchObject({ code: 'not_ground_control' });
});

it.each<[string, (response: http.ServerResponse) => void]>([
  ['before the answer', ({ socket }) => void socket?.destroy()],
  ['in the middle of the bytes', (response) => response.write('byt', () => response.socket?.destroy())],
])('reports a connection that is lost %s', async (_when, lose) => {
  answer = lose;
  await expect(readText()).rejects.toBeInstanceOf(LineError);
});
