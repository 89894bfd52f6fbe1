import { once } from 'node:events';
import net from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defineApi } from '#shared/kernel/endpoint';
import { createLog } from '../log.ts';
import { createHttp, createOperatorServer } from './server.ts';

const patience = { headersMs: 400, requestMs: 800, longRequestMs: 30_000, idleMs: 1_500, checkIntervalMs: 50 };
const { long } = defineApi({
  long: { method: 'POST', path: '/long', summary: 'Work', class: 'X', longRunning: true, replies: {} },
});
let finishWork: PromiseWithResolvers<void>;

let app: FastifyInstance;
let port: number;
beforeEach(async () => {
  finishWork = Promise.withResolvers();
  app = createHttp(createLog('silent'), { secure: true, patience });
  app.post('/', async () => 'accepted');
  app.get('/', async () => 'accepted');
  const work = () => finishWork.promise.then(() => 'worked');
  app.post('/work', work);
  app.post('/long-much', { config: { endpoint: long } }, async () => Buffer.alloc(64 * 1_048_576));
  app.post('/long', { config: { endpoint: long } }, work);
  app.get('/much', async () => Buffer.alloc(64 * 1_048_576));
  await app.listen({ host: '127.0.0.1', port: 0 });
  ({ port } = app.server.address() as net.AddressInfo);
});
afterEach(() => {
  finishWork.resolve();
  return app.close();
});

type Drip = { first: string; drop?: string; everyMs?: number; to?: number };
/** Returns the port of the second listener; the test that opens it closes it. */
async function listenForOperator() {
  const operator = createOperatorServer(app, patience);
  operator.listen(0, '127.0.0.1');
  await once(operator, 'listening');
  return { operator, operatorPort: (operator.address() as net.AddressInfo).port };
}

/** Sends the first text, then a fragment repeatedly, until the server ends the connection. */
const drip = ({ first, drop = '', everyMs = 20, to = port }: Drip) =>
  new Promise<{ answer: string; ms: number }>((resolve) => {
    const began = performance.now();
    let answer = '';
    let timer: NodeJS.Timeout | undefined;
    // Waits for the connection: a fragment written earlier would precede the first text.
    const socket = net.connect(to, '127.0.0.1', () => {
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

const postTo = (address: string, length = 0) =>
  `POST ${address} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n`;

test('the work of a long-running endpoint may be silent for longer than an idle connection, on both listeners', async () => {
  const { operator, operatorPort } = await listenForOperator();
  const answers = [drip({ first: postTo('/long') }), drip({ first: postTo('/long'), to: operatorPort })];
  const cut = await Promise.all([drip({ first: postTo('/work') }), drip({ first: postTo('/work'), to: operatorPort })]);
  expect(cut.map(({ answer }) => answer)).toEqual(['', '']);
  finishWork.resolve();
  for (const { answer } of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*worked$/);
  operator.close();
});

test('the body of a long-running endpoint may take longer than an ordinary request', async () => {
  const length = 1_000_000;
  finishWork.resolve();
  const upload = net.connect(port, '127.0.0.1', () => upload.write(postTo('/long', length)));
  await once(upload, 'connect');
  upload.write('[');
  const slow = await drip({ first: postTo('/work', length), drop: '{' });
  expect(slow.answer).toMatch(/^HTTP\/1\.1 408 /);
  upload.end(Buffer.alloc(length - 1, '1'));
  const [answer] = (await once(upload, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
  upload.destroy();
});

test('a client that does not read the answer of a long-running endpoint times out', async () => {
  const taken = once(app.server, 'connection');
  const stalledSocket = net.connect(port, '127.0.0.1', () => stalledSocket.write(postTo('/long-much')));
  const [held] = (await taken) as [net.Socket];
  await once(held, 'close');
  stalledSocket.destroy();
});
