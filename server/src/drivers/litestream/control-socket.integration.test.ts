import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { syncReplica } from './control-socket.ts';

const file = '/data/ledger.db';
let folder: string;
let socket: string;
let server: http.Server | undefined;

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'litestream-'));
  socket = path.join(folder, 'control.sock');
});
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
});

/** Answers each request with the next of these; `undefined` never answers. */
async function listen(...answers: ({ status?: number; body: unknown } | undefined)[]): Promise<unknown[]> {
  const bodies: unknown[] = [];
  server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    bodies.push({ url: request.url, ...JSON.parse(Buffer.concat(chunks).toString()) });
    const answer = answers.shift();
    if (!answer) return;
    response.writeHead(answer.status ?? 200);
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server?.listen(socket, resolve));
  return bodies;
}

const sync = (timeoutMs = 2_000) => syncReplica({ socket, file, timeoutMs });
const synced = { status: 'synced', path: file, txid: 9, replicated_txid: 9 };

it('waits until Litestream has copied the database', async () => {
  const bodies = await listen({ body: synced });
  expect(await sync()).toBe(true);
  expect(bodies).toEqual([{ url: '/sync', path: file, wait: true, timeout: 2 }]);
});

it('asks again while the replica has not reached the position of the database', async () => {
  const bodies = await listen({ body: { ...synced, txid: 10 } }, { body: { ...synced, status: 'no_change' } });
  expect(await sync()).toBe(true);
  expect(bodies).toHaveLength(2);
});

it('confirms nothing without a socket', async () => {
  expect(await sync()).toBe(false);
});

it('confirms nothing when the socket does not answer in time', async () => {
  await listen(undefined);
  expect(await sync(50)).toBe(false);
});

it.for([
  ['an error', { status: 500, body: { error: 'sync database: replica sync: disk full' } }],
  ['another database', { body: { ...synced, path: '/data/other.db' } }],
  ['a local copy alone', { body: { ...synced, status: 'synced_local' } }],
  ['no position', { body: { status: 'synced', path: file } }],
  ['an empty database', { body: { ...synced, txid: 0, replicated_txid: 0 } }],
  ['something else than JSON', { body: 'ok' }],
  ['an endless answer', { body: 'x'.repeat(200_000) }],
] as const)('does not believe an answer with %s', async ([, answer]) => {
  await listen(answer);
  expect(await sync()).toBe(false);
});
