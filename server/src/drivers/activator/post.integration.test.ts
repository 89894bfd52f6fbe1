import type http from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { selfSigned } from '../../../test/certificate.ts';
import { answerStatus, hang, startWebhookReceiver, type WebhookReceiver } from '../../../test/webhook-receiver.ts';
import { createActivator } from './index.ts';

const token = 'token-of-the-activator';
const never = new AbortController().signal;
let receiver: WebhookReceiver;
beforeEach(async () => {
  receiver = await startWebhookReceiver();
});
afterEach(() => receiver.close());

type Respond = (request: http.IncomingMessage, response: http.ServerResponse) => void;
const respond =
  (body: string | Buffer, status = 200, headers: http.OutgoingHttpHeaders = {}): Respond =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
const send = (url = receiver.url, more: { timeoutMs?: number; signal?: AbortSignal } = {}) =>
  createActivator({ url, token }).send(
    { key: 'apply_1:warm', requestId: 'r1', body: '{"kind":"x"}', timeoutMs: more.timeoutMs ?? 20_000 },
    more.signal ?? never,
  );

it('sends one POST with the bearer, the key and the request id', async () => {
  receiver.answer(respond('{"status":"succeeded"}'));
  expect(await send()).toEqual({ status: 'succeeded' });
  const [{ headers, json }] = receiver.received as [(typeof receiver.received)[number]];
  expect(json).toEqual({ kind: 'x' });
  expect(headers).toMatchObject({
    authorization: `Bearer ${token}`,
    'idempotency-key': 'apply_1:warm',
    'x-request-id': 'r1',
    'content-type': 'application/json; charset=utf-8',
  });
});

it.each([
  ['{"status":"succeeded"}', { status: 'succeeded' }],
  [
    '{"status":"succeeded","healthUrl":"https://a.example/healthz"}',
    { status: 'succeeded', healthUrl: 'https://a.example/healthz' },
  ],
  ['{"status":"pending","message":"later"}', { status: 'pending', message: 'later' }],
  ['{"status":"pending"}', { status: 'pending' }],
  ['{"status":"skipped","message":"not here"}', { status: 'skipped', message: 'not here' }],
  ['{"status":"failed","message":"no"}', { status: 'failed', message: 'no' }],
])('accepts the answer %s', async (body, expected) => {
  receiver.answer(respond(body, 202));
  expect(await send()).toEqual(expected);
});

const large = `{"status":"failed","message":"${'x'.repeat(70_000)}"}`;
/** Answers that count as failures, and a part of the reason. */
const wrong: [string, Respond, RegExp][] = [
  ['204 without a body', answerStatus(204), /is empty/],
  ['200 with an empty body', respond(''), /is empty/],
  ['a redirect', respond('', 302, { location: 'http://127.0.0.1:1/' }), /redirect 302/],
  ['a permanent redirect with a good body', respond('{"status":"succeeded"}', 308, { location: '/' }), /redirect 308/],
  ['304', answerStatus(304), /redirect 304/],
  ['400 with a good body', respond('{"status":"succeeded"}', 400), /status 400/],
  ['401', respond('{}', 401), /status 401/],
  ['404', answerStatus(404), /status 404/],
  ['409 with a good body', respond('{"status":"succeeded"}', 409), /status 409/],
  ['429', answerStatus(429, { 'retry-after': '0' }), /status 429/],
  ['500', respond('oops', 500), /status 500/],
  ['503', answerStatus(503, { 'retry-after': '0' }), /status 503/],
  ['a page', respond('<html>ok</html>', 200, { 'content-type': 'text/html' }), /not valid JSON/],
  ['text that is not JSON', respond('succeeded'), /not valid JSON/],
  ['JSON that is cut off', respond('{"status":"succeeded"'), /not valid JSON/],
  ['two JSON values', respond('{"status":"succeeded"}{"status":"failed"}'), /not valid JSON/],
  [
    'bytes that are not UTF-8',
    respond(Buffer.from('{"status":"succeeded","healthUrl":"\xff"}', 'latin1')),
    /not valid JSON/,
  ],
  ['a repeated member', respond('{"status":"failed","status":"succeeded"}'), /not valid JSON/],
  ['null', respond('null'), /form of one/],
  ['a list', respond('[{"status":"succeeded"}]'), /form of one/],
  ['a string', respond('"succeeded"'), /form of one/],
  ['no status', respond('{"message":"fine"}'), /form of one/],
  ['an unknown status', respond('{"status":"ok"}'), /form of one/],
  ['a status in capitals', respond('{"status":"SUCCEEDED"}'), /form of one/],
  ['a status that is true', respond('{"status":true}'), /form of one/],
  ['an unknown member', respond('{"status":"succeeded","next":"x"}'), /form of one/],
  ['a message of a success', respond('{"status":"succeeded","message":"x"}'), /form of one/],
  ['a message that is an object', respond('{"status":"failed","message":{}}'), /form of one/],
  ['a health address that is a script', respond('{"status":"succeeded","healthUrl":"javascript:1"}'), /form of one/],
  [
    'a health address with a password',
    respond('{"status":"succeeded","healthUrl":"https://a:b@c.example/"}'),
    /form of one/,
  ],
  ['more than 64 KiB', respond(large), /larger than 64 KiB/],
  [
    'an endless body',
    (_request, response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, ' ')));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    },
    /larger than 64 KiB/,
  ],
  ['a closed connection', (request) => request.socket.destroy(), /closed without an answer/],
  [
    'a body that is cut off',
    (request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"status":');
      setImmediate(() => request.socket.destroy());
    },
    /closed without an answer/,
  ],
  ['another protocol', (_request, response) => response.socket?.end('SSH-2.0-x\r\n\r\n'), /closed without an answer/],
];

describe('an answer that counts as a failure', () => {
  it.each(wrong)('%s', async (_name, how, message) => {
    receiver.answer(how);
    const end = await send();
    expect(end).toMatchObject({ status: 'failed', message: expect.stringMatching(message) });
    expect(JSON.stringify(end)).not.toContain(token);
    expect(receiver.received).toHaveLength(1);
  });

  it('is one that never comes, or comes too late', async () => {
    receiver.answer(hang);
    expect(await send(receiver.url, { timeoutMs: 100 })).toEqual({
      status: 'failed',
      message: 'The release activator did not answer in 0.1 seconds.',
      isUnanswered: true,
    });
  });

  it('is one whose request was interrupted', async () => {
    receiver.answer(hang);
    const controller = new AbortController();
    const sent = send(receiver.url, { signal: controller.signal });
    await receiver.atLeast(1);
    controller.abort();
    expect(await sent).toMatchObject({ status: 'failed', isUnanswered: true });
  });

  it('is a refused connection, or a certificate that is not trusted', async () => {
    const { url } = receiver;
    await receiver.close();
    expect(await send(url)).toMatchObject({ status: 'failed', message: expect.stringContaining('connection') });
    receiver = await startWebhookReceiver({ tls: selfSigned('localhost') });
    expect(await send()).toMatchObject({ status: 'failed', message: expect.stringContaining('certificate') });
    expect(receiver.received).toHaveLength(0);
  });

  it('is missing when the CA file cannot be read, and nothing is sent', async () => {
    await receiver.close();
    receiver = await startWebhookReceiver({ tls: selfSigned('localhost') });
    const activation = { key: 'apply_1:warm', requestId: 'r1', body: '{}', timeoutMs: 20_000 };
    const activator = createActivator({ url: receiver.url, token }, { caFile: '/nonexistent/ca.pem' });
    expect(await activator.send(activation, never)).toEqual({
      status: 'failed',
      message: 'The CA file of the settings cannot be read. Correct its path or its mode.',
    });
    expect(receiver.connections()).toBe(0);
  });
});
