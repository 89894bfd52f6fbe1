import net from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('the request id', () => {
  const idOf = async (headers: Record<string, string>, path = '/healthz') =>
    (await server.raw({ path, headers })).headers['x-request-id'];

  test('of the caller is taken when it is a UUID or a ULID', async () => {
    const requestIds = ['123e4567-e89b-12d3-a456-426614174000', '01JZ5Q4S9X5Y1V5N2E4W3T7R8K'];
    for (const id of requestIds) {
      expect(await idOf({ 'x-request-id': id })).toBe(id);
      expect(await idOf({ 'x-correlation-id': id })).toBe(id);
      expect(await idOf({ 'x-request-id': id, 'x-correlation-id': requestIds[0] ?? '' })).toBe(id);
    }
  });

  test('is otherwise fresh, and is also in the error', async () => {
    for (const id of ['', 'x', '1'.repeat(64), '123e4567-e89b-12d3-a456-426614174000x', '<script>'])
      expect(await idOf({ 'x-request-id': id })).toMatch(uuid);
    const refused = await server.raw({ path: '/api/v1/workspaces' });
    expect(refused.json).toMatchObject({ error: { requestId: refused.headers['x-request-id'] } });
    expect(await idOf({})).not.toBe(await idOf({}));
  });
});

describe('headers', () => {
  test('every answer, refusals and pages included, carries the security headers', async () => {
    const expected = {
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'strict-origin-when-cross-origin',
    };
    for (const path of ['/', '/nothing', '/healthz', '/openapi.json', '/api/v1/workspaces', '/api/v1/runs/%zz']) {
      const { headers } = await server.raw({ path, headers: { accept: 'text/html', origin: 'https://evil.example' } });
      expect(headers).toMatchObject(expected);
      expect(headers['strict-transport-security']).toBeUndefined();
      expect(headers.vary).toBeUndefined();
    }
  });

  test('forbids caches to store API answers; documents are cached for five minutes', async () => {
    const cacheOf = async (path: string) => (await server.request('GET', path)).headers['cache-control'];
    for (const path of ['/api/v1/capabilities', '/api/v1/workspaces', '/api/v1/nothing', '/oauth/x', '/v1/x'])
      expect([path, await cacheOf(path)]).toEqual([path, 'no-store']);
    for (const path of ['/.well-known/svc', '/openapi.json'])
      expect([path, await cacheOf(path)]).toEqual([path, 'public, max-age=300']);
  });

  test('sends HSTS and a Secure cookie when browsers use https', async () => {
    const secure = await startTestServer({ env: { GROUNDCTL_PUBLIC_URL: 'https://ground.example' } });
    const request = (method: string, path: string, headers: string[] = [], body?: string) =>
      secure.raw({
        method,
        path,
        headers: ['host', 'ground.example', ...headers],
        ...(body !== undefined && { body }),
      });
    const health = await request('GET', '/healthz');
    expect(health.headers['strict-transport-security']).toBe('max-age=31536000');
    const { url } = (await secure.as(secure.operatorToken).issueSignInLink({ body: {} })).body;
    const token = new URL(url).hash.slice(1);
    const signIn = (origin: string) =>
      request('POST', '/api/v1/auth/link', ['origin', origin], JSON.stringify({ token }));
    expect((await signIn('http://ground.example')).status).toBe(403);
    const [cookie = ''] = (await signIn('https://ground.example')).headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^svc_session=sess_[\w-]{43}; HttpOnly; SameSite=Lax; Path=\/; Max-Age=2592000; Secure$/);
    await secure.close();
  });
});

test('HEAD is GET without a body', async () => {
  for (const path of ['/healthz', '/api/v1/workspaces', '/api/v1/runs/nothing']) {
    const get = await server.request('GET', path);
    const head = await server.request('HEAD', path);
    expect([path, head.status, head.text]).toEqual([path, get.status, '']);
    expect(head.headers['content-type']).toBe(get.headers['content-type']);
  }
});

describe('a request that the HTTP parser refuses', () => {
  /** Sends raw bytes and returns the whole answer. */
  const wire = (text: string) =>
    new Promise<{ status: number; headers: string; json: unknown }>((resolve, reject) => {
      const socket = net.connect(Number(new URL(server.url).port), '127.0.0.1', () => socket.write(text));
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk;
      });
      socket.on('error', reject);
      socket.on('close', () => {
        const [headers = '', body = ''] = answer.split('\r\n\r\n', 2);
        resolve({
          status: Number(headers.split(' ', 2)[1]),
          headers,
          json: body === '' ? undefined : JSON.parse(body),
        });
      });
    });
  const host = () => `host: ${server.host}\r\n`;

  test('has no content when the request was a HEAD', async () => {
    const { status, headers, json } = await wire(`HEAD / HTTP/1.1\r\nbad header\r\n${host()}\r\n`);
    expect([status, json]).toEqual([400, undefined]);
    expect(headers.toLowerCase()).toMatch(/\r\ncontent-length: [1-9]/);
  });

  test('comes in the envelope with the security headers, and ends the connection', async () => {
    const cases: [string, number, string][] = [
      ['nonsense\r\n\r\n', 400, 'invalid_request'],
      [`FROB / HTTP/1.1\r\n${host()}\r\n`, 400, 'invalid_request'],
      [`GET / HTTP/1.1\r\nbad header\r\n${host()}\r\n`, 400, 'invalid_request'],
      ['GET /healthz HTTP/1.1\r\n\r\n', 400, 'invalid_request'],
      [`GET / HTTP/1.1\r\n${host()}x: ${'y'.repeat(17_000)}\r\n\r\n`, 431, 'headers_too_large'],
      [`POST / HTTP/1.1\r\n${host()}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n`, 400, 'invalid_request'],
    ];
    for (const [text, status, code] of cases) {
      const answer = await wire(text);
      expect([text.slice(0, 30), answer.status]).toEqual([text.slice(0, 30), status]);
      expect(answer.json).toEqual({
        error: { code, message: 'The request cannot be read.', requestId: expect.stringMatching(uuid) },
      });
      expect(answer.headers.toLowerCase()).toMatch(/\r\nconnection: close/);
      expect(answer.headers.toLowerCase()).toMatch(/\r\nx-content-type-options: nosniff/);
      expect(answer.headers.toLowerCase()).toMatch(/\r\ncache-control: no-store/);
    }
  });
});
