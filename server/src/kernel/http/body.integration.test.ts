import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const statusCodeAndField = ({ status, json }: RawAnswer) => {
  const { code, details } = (json as { error?: { code: string; details?: { field?: string } } }).error ?? {};
  return [status, code, ...(details?.field === undefined ? [] : [details.field])];
};
const send = (body: string | Uint8Array, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  server.raw({
    method: 'POST',
    path: '/api/v1/sources',
    headers: { authorization: `Bearer ${server.token}`, ...headers },
    body,
  });
const good = (more: Record<string, unknown> = {}) =>
  JSON.stringify({ workspaceId: server.workspaceId, name: 'n', url: 'https://example.com/a', ...more });

describe('a JSON body', () => {
  test('is taken as application/json in UTF-8, and without a media type', async () => {
    const types = ['application/json', 'Application/JSON; charset=UTF-8', 'application/json;charset="utf-8"'];
    for (const type of types) expect((await send(good(), { 'content-type': type })).status).toBe(201);
    expect((await send(good(), {})).status).toBe(201);
  });

  test('of another media type is 415', async () => {
    const types = ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1'];
    for (const type of [...types, 'application/jsonp', 'application/merge-patch+json', 'x', ''])
      expect([type, ...statusCodeAndField(await send(good(), { 'content-type': type }))]).toEqual([
        type,
        415,
        'unsupported_media_type',
      ]);
  });

  test('may be 1 MiB long and not a byte longer', async () => {
    const padded = (bytes: number) => good().padEnd(bytes);
    expect((await send(padded(1_048_576))).status).toBe(201);
    expect(statusCodeAndField(await send(padded(1_048_577)))).toEqual([413, 'request_too_large']);
  });

  test('that is not JSON, repeats a key, names __proto__ or is nested too deeply is 400 invalid_json', async () => {
    const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    const bodies = [
      '{',
      'nonsense',
      '{"a":1,}',
      "{'a':1}",
      good().replace('{', '{"name":"m",'),
      good().replace('{', '{"n\\u0061me":"m",'),
      good().replace('{', '{"__proto__":{},'),
      good({ deep: [{ x: 1 }] }).replace('"x"', '"__proto__"'),
      good({ deep: 1 }).replace('"deep":1', '"deep":{"a":1,"b":{},"a":2}'),
      nested(65),
      `${'['.repeat(65)}${']'.repeat(65)}`,
      Buffer.from('{"name":"\xff"}', 'latin1'),
      good({ deep: 1 }).replace('"deep":1', '"deep":[1e10000]'),
      good({ deep: 1 }).replace('"deep":1', `"deep":-1.${'7'.repeat(1_100)}`),
      good({ deep: 1 }).replace('"deep":1', `"deep":1${'0'.repeat(299)}e9999`),
    ];
    for (const body of bodies)
      expect([body, ...statusCodeAndField(await send(body))]).toEqual([body, 400, 'invalid_json']);
    expect(statusCodeAndField(await send(nested(64)))).toEqual([400, 'invalid_request', '/workspaceId']);
  });

  test('is one closed object: the first error is named by JSON Pointer', async () => {
    const refused: [string, string][] = [
      ['[]', ''],
      ['null', ''],
      ['"text"', ''],
      [good({ nonsense: 1 }), '/nonsense'],
      [good({ 'a/b~c': 1 }), '/a~1b~0c'],
      [good({ name: 7 }), '/name'],
      [good({ name: '' }), '/name'],
      [good({ name: ' padded ' }), '/name'],
      [good({ name: null }), '/name'],
      [good({ workspaceId: undefined }), '/workspaceId'],
      [good({ autoSync: 'yes' }), '/autoSync'],
    ];
    for (const [body, field] of refused)
      expect([body, ...statusCodeAndField(await send(body))]).toEqual([body, 400, 'invalid_request', field]);
  });

  test('names the JSON Pointer of a nested error', async () => {
    const answer = await server.request(
      'POST',
      `/api/v1/workspaces/${server.workspaceId}/install-plans`,
      { source: { name: 'n', url: 'u', ref: 'HEAD', path: '.', more: 1 }, capsule: { name: 'c', environment: 'e' } },
      { 'idempotency-key': 'k' },
    );
    expect(statusCodeAndField(answer)).toEqual([400, 'invalid_request', '/source/more']);
  });
});

describe('a route without a body', () => {
  const end = (body: string | undefined, headers: Record<string, string> = {}) =>
    server.raw({
      method: 'DELETE',
      path: `/api/v1/sources/${sourceId}`,
      headers: { authorization: `Bearer ${server.token}`, ...headers },
      ...(body !== undefined && { body }),
    });
  let sourceId: string;
  test('accepts no body or {}, and refuses anything else', async () => {
    sourceId = ((await send(good())).json as { source: { id: string } }).source.id;
    for (const body of ['[]', 'null', '1', '""', '{"a":1}', '[{}]'])
      expect([body, ...statusCodeAndField(await end(body)).slice(0, 2)]).toEqual([body, 400, 'invalid_request']);
    expect((await end('{}')).status).toBe(204);
    expect((await end(undefined, { 'content-type': 'application/json' })).status).toBe(404);
  });
});

describe('a query', () => {
  const list = (query: string) => server.request('GET', `/api/v1/workspaces/${server.workspaceId}/runs?${query}`);

  test('repeats no key that the route knows, and may hold others', async () => {
    expect(statusCodeAndField(await list('limit=1&limit=2'))).toEqual([400, 'invalid_request', '/limit']);
    expect(statusCodeAndField(await list('type=plan&type=plan'))).toEqual([400, 'invalid_request', '/type']);
    expect((await list('unknown=1&unknown=2&constructor=1&__proto__=x')).status).toBe(200);
  });

  test('of a closed route holds nothing unknown', async () => {
    const file = '/api/v1/sources/src_x/snapshots/snap_x/file';
    expect(statusCodeAndField(await server.request('GET', `${file}?path=a&more=1`)).slice(0, 2)).toEqual([
      404,
      'not_found',
    ]);
  });

  test('booleans are 1, true, 0 and false', async () => {
    const capsules = (value: string) =>
      server.request('GET', `/api/v1/workspaces/${server.workspaceId}/capsules?includeDestroyed=${value}`);
    for (const value of ['1', 'true', '0', 'false']) expect((await capsules(value)).status).toBe(200);
    for (const value of ['yes', 'TRUE', '', '2'])
      expect(statusCodeAndField(await capsules(value))).toEqual([400, 'invalid_request', '/includeDestroyed']);
  });
});

test('rejects JSON text with a lone surrogate, and accepts a surrogate pair', async () => {
  const body = (name: string) =>
    `{"workspaceId":"${server.workspaceId}","url":"https://example.com/a","name":"${name}"}`;
  expect(statusCodeAndField(await send(body('\\ud83d'))).slice(0, 2)).toEqual([400, 'invalid_json']);
  expect(statusCodeAndField(await send(body('\\ude00\\ud83d'))).slice(0, 2)).toEqual([400, 'invalid_json']);
  expect((await send(body('\\ud83d\\ude00'))).status).toBe(201);
});

test('no refusal repeats a submitted value', async () => {
  const canary = 'Canary-7f3a';
  const answers = [
    await send(good({ url: `ssh://${canary}` })),
    await send(good({ url: `https://user:${canary}@example.com/a` })),
    await send(good({ defaultRef: `..${canary}` })),
    await send(good({ defaultPath: `../${canary}` })),
    await send(good({ name: [canary] })),
    await send(good({ workspaceId: canary })),
    await send(`{"name":"${canary}`),
    await send(good(), { 'content-type': canary }),
    await send(good(), { authorization: `Bearer ${canary}` }),
    await send(good(), { 'content-type': 'application/json', 'idempotency-key': `${canary}${'x'.repeat(256)}` }),
    await server.request('GET', `/api/v1/runs/${canary}`),
    await server.request('GET', `/${canary}`),
    await server.request('GET', `/api/v1/workspaces/${server.workspaceId}/runs?cursor=${canary}`),
    await server.request('GET', `/api/v1/workspaces/${server.workspaceId}/runs?status=${canary}`),
    await server.raw({ path: '/', headers: ['host', canary] }),
    await server.request('POST', '/api/v1/auth/link', { token: canary }),
  ];
  for (const answer of answers) {
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify([answer.text, answer.headers])).not.toContain(canary);
  }
});
