import { once } from 'node:events';
import net from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLog } from '../log.ts';
import { createHttp } from './server.ts';

let app: FastifyInstance;
let port: number;
beforeEach(async () => {
  const patience = { headersMs: 400, requestMs: 800, idleMs: 1_500, checkIntervalMs: 50 };
  app = createHttp(createLog('silent'), { secure: true, patience });
  app.post('/', async () => 'accepted');
  app.get('/', async () => 'accepted');
  app.get('/much', async () => Buffer.alloc(64 * 1_048_576));
  await app.listen({ host: '127.0.0.1', port: 0 });
  ({ port } = app.server.address() as net.AddressInfo);
});
afterEach(() => app.close());

type Drip = { first: string; drop?: string; everyMs?: number };
/** Sends the first text, then a fragment repeatedly, until the server ends the connection. */
const drip = ({ first, drop = '', everyMs = 20 }: Drip) =>
  new Promise<{ answer: string; ms: number }>((resolve) => {
    const began = performance.now();
    let answer = '';
    let timer: NodeJS.Timeout | undefined;
    // Waits for the connection: a fragment written earlier would precede the first text.
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.write(first);
      if (drop !== '') timer = setInterval(() => socket.writable && socket.write(drop), everyMs);
    });
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    // A connection that is reset during a write has ended too.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(timer);
      resolve({ answer, ms: performance.now() - began });
    });
  });

test('headers that trickle in are answered with 408 in the envelope, and the connection ends', async () => {
  const { answer, ms } = await drip({ first: 'GET / HTTP/1.1\r\nhost: x\r\n', drop: 'a: b\r\n' });
  expect(answer).toMatch(/^HTTP\/1\.1 408 request timeout\r\n/);
  expect(answer).toMatch(/"code":"request_timeout","message":"The request cannot be read\."/);
  expect(answer.toLowerCase()).toMatch(/\r\nstrict-transport-security: max-age=31536000\r\n/);
  expect(answer.toLowerCase()).toMatch(/\r\nconnection: close\r\n/);
  expect(ms).toBeGreaterThan(350);
});

test('a body that trickles in is answered with 408, too', async () => {
  const head = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n';
  const { answer, ms } = await drip({ first: head, drop: '{' });
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  expect(ms).toBeGreaterThan(700);
});

test('hundreds of slow clients are disconnected, and other clients are served at the same time', async () => {
  const slow = Array.from({ length: 300 }, () =>
    drip({ first: 'GET / HTTP/1.1\r\nx: y\r\n', drop: 'z: ', everyMs: 100 }),
  );
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('accepted');
  const ended = await Promise.all(slow);
  expect(ended.every(({ answer }) => answer === '' || answer.startsWith('HTTP/1.1 408'))).toBe(true);
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('accepted');
});

test('a silent connection, and one that does not read its answer, time out', async () => {
  const silent = await drip({ first: '' });
  expect(silent.answer === '' || silent.answer.startsWith('HTTP/1.1 408')).toBe(true);
  const taken = once(app.server, 'connection');
  const stalledSocket = net.connect(port, '127.0.0.1', () =>
    stalledSocket.write('GET /much HTTP/1.1\r\nhost: x\r\n\r\n'),
  );
  // A client that does not read does not notice the end, so the server's socket is checked.
  const [held] = (await taken) as [net.Socket];
  await once(held, 'close');
  stalledSocket.destroy();
});

test('headers of more than 16 KiB are 431', async () => {
  const { answer } = await drip({ first: `GET / HTTP/1.1\r\nhost: x\r\na: ${'b'.repeat(16_400)}\r\n\r\n` });
  expect(answer).toMatch(/^HTTP\/1\.1 431 headers too large\r\n/);
});
