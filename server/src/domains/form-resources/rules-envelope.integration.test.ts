import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formErrorStatus } from '#shared/form-errors';
import { formHostPath } from '#shared/vendor';
import { changing, type FormHostFixture, type Headers, startFormHost } from '../../../test/form-host.ts';
import { errorOf, refusalOf } from '../../../test/form-rules.ts';

let f: FormHostFixture;
beforeAll(async () => {
  f = await startFormHost();
  await f.apply({ name: 'present' });
});
afterAll(() => f.server.close());

const put = (body: string | Uint8Array, headers: Headers = {}, address = f.at('present')) =>
  f.server.raw({
    method: 'PUT',
    path: address,
    headers: {
      authorization: `Bearer ${f.server.token}`,
      'content-type': 'application/json',
      ...changing(1),
      ...headers,
    },
    body,
  });
const legacy = () => `/v1/resources/Bucket/present?space=${f.server.workspaceId}`;
const asIs = (status: number, hostCode: string) => [status, 'invalid_argument', hostCode, false];

describe('the envelope of a refused request', () => {
  it.each([
    ['DELETE', `${formHostPath}/forms`, 'GET'],
    ['PUT', `${formHostPath}/resources`, 'GET'],
    ['GET', `${formHostPath}/resources/preview`, 'POST'],
    ['PATCH', `${formHostPath}/resources/Bucket/one`, 'PUT, GET, DELETE'],
    ['GET', `${formHostPath}/resources/Bucket/one/import`, 'POST'],
    ['OPTIONS', `${formHostPath}/resources/Bucket/one`, 'PUT, GET, DELETE'],
    ['OPTIONS', '/v1/resources', 'GET'],
    ['POST', '/v1/capabilities', 'GET'],
    ['QUERY', '/v1/resources/Bucket/one/refresh', 'POST'],
  ])('%s %s is 405 with Allow', async (method, address, allow) => {
    const answer = await f.send(method, address);
    expect([...refusalOf(answer), answer.headers.allow]).toEqual([...asIs(405, 'method_not_allowed'), allow]);
  });

  it.each([
    '/apis',
    '/apis/',
    '/apis/other/v1/forms',
    `${formHostPath}/`,
    `${formHostPath}/nothing`,
    `${formHostPath}/resources/Bucket/one/nothing`,
    `${formHostPath}/resources/Bucket`,
    '/v1',
    '/v1/forms',
    '/v1/resources/Bucket/one/events',
    '/v1/%',
  ])('an unknown path %s is 404, also for a browser', async (address) => {
    for (const headers of [{}, { accept: 'text/html', 'sec-fetch-mode': 'navigate' }])
      expect(refusalOf(await f.send('GET', address, { headers }))).toEqual([
        404,
        'resource_not_found',
        'not_found',
        false,
      ]);
  });

  it('is the same at another spelling of an address', async () => {
    expect(refusalOf(await f.send('GET', '/%76%31/nothing'))).toEqual([404, 'resource_not_found', 'not_found', false]);
    const spelled = (address: string) => f.server.raw({ path: `${address}?space=${f.server.workspaceId}` });
    for (const address of [`/%61pis/forms.formhost/v1alpha1/forms`, '/%76%31/resources', '/v%31/resources'])
      expect([address, ...refusalOf(await spelled(address))]).toEqual([
        address,
        401,
        'unauthenticated',
        undefined,
        false,
      ]);
  });

  it('of a body that is too large is 413', async () => {
    for (const address of [f.at('present'), legacy()])
      expect(refusalOf(await put(`"${'x'.repeat(1_048_577)}"`, {}, address))).toEqual(asIs(413, 'request_too_large'));
  });

  it('of another media type is 415', async () => {
    for (const type of ['text/plain', 'application/json; charset=utf-16', 'application/x-www-form-urlencoded'])
      expect(refusalOf(await put('{}', { 'content-type': type }))).toEqual(asIs(415, 'unsupported_media_type'));
    expect(refusalOf(await put('{}', { 'content-type': 'text/plain' }, legacy()))).toEqual(
      asIs(415, 'unsupported_media_type'),
    );
  });

  it.each([
    ['no JSON', '{'],
    ['two documents', '{} {}'],
    ['a repeated key', '{"kind":"Bucket","kind":"Bucket"}'],
    ['a repeated key of the spec', '{"spec":{"size":1,"si\\u007ae":2}}'],
    ['the key __proto__', '{"spec":{"__proto__":{"size":1}}}'],
    ['65 levels', `{"spec":${'{"a":'.repeat(65)}1${'}'.repeat(65)}}`],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])('of %s is 400', async (_, body) => {
    expect(refusalOf(await put(body))).toEqual(asIs(400, 'invalid_json'));
  });

  it.each([[''], ['null'], ['[]'], ['"text"'], ['{}'], ['{"spec":[]}']])('of the body %s is 400', async (body) => {
    expect(refusalOf(await put(body))).toEqual(asIs(400, 'invalid_request'));
  });

  it.each(['', '/form', '/form/formRef', '/metadata', '/review'])('names an unknown member of %s', async (at) => {
    const body = {
      ...structuredClone(f.desired({ name: 'present' })),
      review: { planDigest: `sha256:${'0'.repeat(64)}` },
    };
    const parts = at.split('/').slice(1);
    const inside = parts.reduce((part, name) => part[name] as Record<string, unknown>, body as Record<string, unknown>);
    inside['surprise'] = 1;
    const answer = await put(JSON.stringify(body));
    expect([...refusalOf(answer), errorOf(answer).details?.field]).toEqual([
      ...asIs(400, 'invalid_request'),
      `${at}/surprise`,
    ]);
  });

  it.each(['observe', 'refresh', 'delete'])('of a body at %s is 400, and an empty one is accepted', async (route) => {
    const method = route === 'delete' ? 'DELETE' : 'POST';
    const address = `${f.at('absent')}${route === 'delete' ? '' : `/${route}`}${f.queryOf()}`;
    const send = (body: unknown) => f.send(method, address, { body, headers: changing(1) });
    expect(refusalOf(await send({ spec: {} }))).toEqual(asIs(400, 'invalid_request'));
    expect((await send({})).status).toBe(route === 'delete' ? 204 : 404);
  });

  it('of a kind or a name that cannot be is 400', async () => {
    for (const [kind, name] of [
      ['bucket', 'one'],
      ['Bucket', 'One'],
      ['Bucket', '-one'],
      ['Bucket', 'one-'],
      ['Bucket', 'a'.repeat(64)],
      ['B'.repeat(65), 'one'],
      ['Bucket', '%2e%2e'],
    ])
      expect([kind, name, ...refusalOf(await f.send('GET', f.at(name, kind) + f.queryOf()))]).toEqual([
        kind,
        name,
        ...asIs(400, 'invalid_request'),
      ]);
  });

  it('of a repeated name in a query is 400', async () => {
    for (const more of ['&kind=Bucket', '&space=other'])
      expect(refusalOf(await f.send('GET', f.at('present') + f.queryOf() + more))).toEqual(
        asIs(400, 'invalid_request'),
      );
  });

  it('of another host name is 421', async () => {
    const answer = await f.server.raw({ path: `${formHostPath}/forms`, headers: ['host', 'evil.example'] });
    expect(refusalOf(answer)).toEqual(asIs(421, 'misdirected_request'));
  });

  it('of headers that are too large is 431', async () => {
    for (const [address, isForm] of [
      [f.at('present'), true],
      ['/v1/resources', true],
      [`/v1/resources?space=${'x'.repeat(20_000)}`, true],
      ['/api/v1/sources', false],
    ] as const) {
      const answer = await wire(
        `GET ${address} HTTP/1.1\r\nhost: ${f.server.host}\r\nx: ${'y'.repeat(17_000)}\r\n\r\n`,
      );
      const [head = '', body = ''] = answer.split('\r\n\r\n', 2);
      expect(head).toMatch(/^HTTP\/1\.1 431 /);
      const { requestId, message, ...error } = (JSON.parse(body) as { error: Record<string, unknown> }).error;
      expect([requestId, message]).toEqual([expect.any(String), expect.stringMatching(/\.$/)]);
      expect(error).toEqual(
        isForm
          ? { code: 'invalid_argument', hostCode: 'headers_too_large', retryable: false }
          : { code: 'headers_too_large' },
      );
    }
  });
});

const wire = (text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let answer = '';
    const socket = net.connect(Number(new URL(f.server.url).port), '127.0.0.1', () => socket.write(text));
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });

it('HEAD is GET without content', async () => {
  const address = f.at('present') + f.queryOf();
  const [get, head] = [await f.send('GET', address), await f.send('HEAD', address)];
  expect([head.status, head.text, head.headers.etag]).toEqual([200, '', get.headers.etag]);
  expect([
    (await f.send('HEAD', f.at('absent') + f.queryOf())).status,
    (await f.send('HEAD', '/v1/nothing')).status,
  ]).toEqual([404, 404]);
});

it('every answer forbids to store it, except discovery', async () => {
  for (const answer of [await f.read('present'), await f.read('absent'), await f.send('GET', '/v1/capabilities')])
    expect(answer.headers['cache-control']).toBe('no-store');
});

it('the codes and statuses of the protocol are these', () => {
  expect(formErrorStatus).toEqual({
    invalid_argument: 400,
    unauthenticated: 401,
    permission_denied: 403,
    policy_denied: 403,
    form_unknown: 404,
    resource_not_found: 404,
    resource_busy: 409,
    import_conflict: 409,
    form_identity_conflict: 409,
    form_not_installed: 409,
    interface_identity_ambiguous: 409,
    interface_instance_ambiguous: 409,
    resource_version_conflict: 412,
    internal_error: 500,
    form_unavailable: 503,
    backend_unavailable: 503,
  });
});
