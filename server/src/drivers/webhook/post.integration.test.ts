import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeTree } from '#server/kernel/remove-tree';
import { selfSigned } from '../../../test/certificate.ts';
import { tempDir } from '../../../test/harness.ts';
import { answerStatus, hang, startWebhookReceiver, type WebhookReceiver } from '../../../test/webhook-receiver.ts';
import { createWebhookClient, type Resolve } from './index.ts';

const exemptHosts = ['localhost'];
const never = new AbortController().signal;
let receiver: WebhookReceiver;
beforeEach(async () => {
  receiver = await startWebhookReceiver();
});
afterEach(() => receiver.close());

const request = (url: string) => ({ url: new URL(url), headers: { 'content-type': 'application/json' }, body: '{}' });
const post = (url = receiver.url, options: Partial<Parameters<typeof createWebhookClient>[0]> = {}) =>
  createWebhookClient({ exemptHosts, ...options }).post(request(url), never);

describe('an answer', () => {
  it('of 2xx succeeds, and any other status is refused', async () => {
    expect(await post()).toEqual({ statusCode: 204, durationMs: expect.any(Number) });
    receiver.answer(answerStatus(500));
    expect(await post()).toMatchObject({ statusCode: 500, error: 'refused' });
  });

  it('that redirects is not followed', async () => {
    const target = await startWebhookReceiver();
    receiver.answer(answerStatus(307, { location: target.url }));
    expect(await post()).toMatchObject({ statusCode: 307, error: 'redirected' });
    expect(target.connections()).toBe(0);
    await target.close();
  });

  it('that is large is left unread after its status', async () => {
    const cut = new Promise<boolean>((resolve) => {
      receiver.answer((_request, response) => {
        response.writeHead(200);
        response.on('close', () => resolve(!response.writableFinished));
        const chunk = Buffer.alloc(1 << 20);
        for (let sent = 0; sent < 64; sent += 1) response.write(chunk);
        response.end();
      });
    });
    expect(await post()).toMatchObject({ statusCode: 200 });
    expect(await cut).toBe(true);
  });

  it('that is another protocol ends the attempt', async () => {
    receiver.answer((_request, response) =>
      response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n'),
    );
    expect(await post()).toMatchObject({ error: 'connection_failed' });
  });

  it('that never comes ends the attempt', async () => {
    receiver.answer(hang);
    expect(await post(receiver.url, { totalMs: 100 })).toMatchObject({ error: 'timed_out' });
  });
});

describe('a connection', () => {
  it('that is refused is reported without a status', async () => {
    const { url } = receiver;
    await receiver.close();
    expect(await post(url)).toEqual({ error: 'connection_failed', durationMs: expect.any(Number) });
    receiver = await startWebhookReceiver();
  });

  it('needs a valid certificate for the name', async () => {
    const folder = tempDir();
    const right = selfSigned('localhost');
    const wrong = selfSigned('another.example');
    const caFile = path.join(folder, 'ca.pem');
    fs.writeFileSync(caFile, right.cert + wrong.cert);
    for (const [tls, options, expected] of [
      [right, { caFile }, { statusCode: 204 }],
      [right, {}, { error: 'certificate_refused' }],
      [wrong, { caFile }, { error: 'certificate_refused' }],
    ] as const) {
      const secure = await startWebhookReceiver({ tls });
      expect(await post(secure.url, options)).toMatchObject(expected);
      await secure.close();
    }
    removeTree(folder);
  });
});

describe('the address', () => {
  const unreachable = { address: '2a00::1', family: 6 };
  const loopback = { address: '127.0.0.1', family: 4 };
  const resolveTo =
    (...answers: Awaited<ReturnType<Resolve>>[]): Resolve =>
    () =>
      Promise.resolve(answers.shift() ?? []);
  const named = () => `https://rebinding.example:${receiver.port}/`;

  it('that was checked is the one connected to, although the name changes to loopback then', async () => {
    const resolve = resolveTo([unreachable], [loopback]);
    const first = await post(named(), { exemptHosts: [], resolve, totalMs: 2_000 });
    expect(['connection_failed', 'timed_out']).toContain(first.error);
    expect(receiver.connections()).toBe(0);
    expect(await post(named(), { exemptHosts: [], resolve })).toMatchObject({ error: 'address_refused' });
    expect(receiver.connections()).toBe(0);
  });

  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.20.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '224.0.0.1',
    '0.0.0.0',
    '198.18.0.1',
    '::1',
    'fe80::1',
    'fd00::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b::127.0.0.1',
    '2001:db8::1',
  ])('%s is refused when a name leads to it, also beside a public one', async (address) => {
    const family = address.includes(':') ? 6 : 4;
    const resolve = resolveTo([{ address, family }], [unreachable, { address, family }]);
    for (let attempt = 0; attempt < 2; attempt += 1)
      expect(await post(named(), { exemptHosts: [], resolve })).toMatchObject({ error: 'address_refused' });
    expect(receiver.connections()).toBe(0);
  });

  it('of a metadata service is refused for an exempt host too', async () => {
    const host = '169.254.169.254';
    expect(await post(`http://${host}/`, { exemptHosts: [host] })).toMatchObject({ error: 'address_refused' });
  });

  it('of a name that does not exist is reported', async () => {
    expect(await post(named(), { exemptHosts: [], resolve: resolveTo() })).toMatchObject({
      error: 'name_not_resolved',
    });
  });

  it.each([
    ['https://hooks.example.com/x', 'ok'],
    ['https://8.8.8.8/', 'ok'],
    ['http://hooks.example.com/x', 'scheme'],
    ['file:///etc/passwd', 'scheme'],
    ['https://127.0.0.1/', 'host'],
    ['https://2130706433/', 'host'],
    ['https://[::ffff:10.0.0.1]/', 'host'],
    ['https://[64:ff9b::7f00:1]/', 'host'],
    ['https://metadata.google.internal/', 'host'],
    ['https://intranet/', 'host'],
    ['https://sub.localhost/', 'host'],
    ['http://localhost:8080/', 'ok'],
    ['https://LOCALHOST./', 'ok'],
  ])('%s is %s as the address of a webhook', (url, verdict) => {
    expect(createWebhookClient({ exemptHosts }).accepts(new URL(url))).toBe(verdict);
  });
});

it('asks a proxy for the checked address, and never by name', async () => {
  const targets: string[] = [];
  const proxy = http.createServer();
  proxy.on('connect', ({ url }, socket) => {
    targets.push(url ?? '');
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const httpsProxy = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const resolve: Resolve = () => Promise.resolve([{ address: '8.8.4.4', family: 4 }]);
  const result = await post('https://hooks.example.com/x', { exemptHosts: [], resolve, httpsProxy });
  expect(result.error).toBe('connection_failed');
  expect(targets).toEqual(['8.8.4.4:443']);
  proxy.close();
});
