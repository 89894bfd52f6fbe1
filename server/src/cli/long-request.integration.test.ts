import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLine } from './client/line.ts';
import { sendLongRequest } from './long-request.ts';

const dispatcherKey = Symbol.for('undici.globalDispatcher.1');
type Globals = { [dispatcherKey]: { constructor: new (options: object) => object } };

let server: http.Server;
let url: string;
let finishWork: () => void;
let received: { headers: http.IncomingHttpHeaders; text: string }[];
beforeEach(async () => {
  const work = Promise.withResolvers<void>();
  finishWork = work.resolve;
  received = [];
  server = http.createServer(async (request, response) => {
    const text = (await request.toArray()).join('');
    received.push({ headers: request.headers, text });
    await work.promise;
    response.setHeader('retry-after', '7');
    if (request.url === '/redirect') response.writeHead(302, { location: '/' });
    if (request.url === '/empty') response.writeHead(204);
    response.end(request.url === '/empty' ? undefined : '{"done":true}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  finishWork();
  server.close();
  server.closeAllConnections();
});

const options = () => ({ method: 'POST', headers: { 'x-a': 'b' }, body: 'in' });

it('waits for an answer that takes longer than the time limit of fetch, as do the writes of commands', async () => {
  const globals = globalThis as unknown as Globals;
  await fetch('data:,');
  const before = globals[dispatcherKey];
  // The limit of five minutes, shortened.
  globals[dispatcherKey] = new before.constructor({ headersTimeout: 1 }) as Globals[typeof dispatcherKey];
  try {
    const answer = sendLongRequest(`${url}/`, options());
    const send = createLine({ origin: () => url }, undefined, new AbortController().signal);
    const written = send({ method: 'POST', path: '/', body: { a: 1 } });
    await expect(fetch(`${url}/`, options())).rejects.toMatchObject({ cause: { code: 'UND_ERR_HEADERS_TIMEOUT' } });
    finishWork();
    expect(await (await answer).json()).toEqual({ done: true });
    expect(await written).toEqual({ status: 200, body: { done: true }, retryAfterSeconds: 7 });
  } finally {
    globals[dispatcherKey] = before;
  }
});

it('passes headers, body and status on, and follows no redirect', async () => {
  finishWork();
  const answer = await sendLongRequest(`${url}/redirect`, options());
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/']);
  expect(received).toMatchObject([{ headers: { 'x-a': 'b' }, text: 'in' }]);
  expect((await sendLongRequest(`${url}/empty`, options())).status).toBe(204);
});

it('ends with its signal, and with the server', async () => {
  const stop = new AbortController();
  const stopped = sendLongRequest(`${url}/`, { ...options(), signal: stop.signal });
  stop.abort();
  await expect(stopped).rejects.toMatchObject({ name: 'AbortError' });
  const arrived = once(server, 'request');
  const lost = sendLongRequest(`${url}/`, options());
  const gone = expect(lost).rejects.toThrow();
  await arrived;
  server.closeAllConnections();
  await gone;
});
