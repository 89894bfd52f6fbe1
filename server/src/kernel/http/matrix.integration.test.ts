import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiTables } from '#shared/api';
import { type Endpoint, fullPath } from '#shared/kernel/endpoint';
import { heldClock, type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';

const endpoints = apiTables.flatMap((table): [string, Endpoint][] => Object.entries(table));
const isWrite = ({ method }: Endpoint) => method !== 'GET';

let server: TestServer;
/** Each probe has its own minute, so that none reaches a rate limit. */
const clock = heldClock(Date.now());
beforeAll(async () => {
  server = await startTestServer({ clock, env: { GROUNDCTL_FORM_HOST: '1' } });
});
afterAll(() => server.close());

const pathOf = (endpoint: Endpoint) =>
  fullPath(endpoint).replace(/:\w+/g, 'nothing') +
  (endpoint.workspaceIn === 'query' ? `?workspaceId=${server.workspaceId}` : '');
const statusAndCode = ({ status, json }: RawAnswer) => [status, (json as { error?: { code: string } }).error?.code];
/** Returns a request whose write has a body that every route rejects, so that no handler runs. */
const request = (endpoint: Endpoint, headers: Record<string, string>) => {
  if (endpoint.rate !== undefined) clock.advance(60_000);
  return server.raw({
    method: endpoint.method,
    path: pathOf(endpoint),
    headers: { ...headers, ...(isWrite(endpoint) && { 'content-type': 'application/json' }) },
    ...(isWrite(endpoint) && { body: '{"nothing":1}' }),
  });
};
const foreign = { origin: 'https://evil.example' };
const dead = { authorization: `Bearer sess_${'A'.repeat(43)}` };

describe.each(endpoints)('%s', (_, endpoint) => {
  test('answers under its own host only, and does not accept OPTIONS', async () => {
    const path = pathOf(endpoint);
    const { method } = endpoint;
    const misdirected = await server.raw({ method, path, headers: ['host', 'evil.example'] });
    if (!endpoint.anyHost) expect(statusAndCode(misdirected)).toEqual([421, 'misdirected_request']);
    const options = await server.raw({ method: 'OPTIONS', path });
    expect(statusAndCode(options)).toEqual([405, 'method_not_allowed']);
    expect(options.headers.allow?.split(', ')).toContain(method);
  });

  test('refuses a page of another origin, unless it is a public read', async () => {
    for (const headers of [foreign, { 'sec-fetch-site': 'cross-site' }]) {
      const answer = await request(endpoint, headers);
      if (endpoint.class === 'X' && !isWrite(endpoint)) expect(answer.status).not.toBe(403);
      else expect(statusAndCode(answer)).toEqual([403, 'csrf_failed']);
    }
  });

  test('takes the credential of its class and no other', async () => {
    const session = { authorization: `Bearer ${server.token}` };
    const operator = { authorization: `Bearer ${server.operatorToken}` };
    const credentials: Record<string, string>[] = [{}, dead, operator, session];
    const answers = await Promise.all(credentials.map((headers) => request(endpoint, headers)));
    const codes = answers.map((answer) => (answer.status === 401 ? statusAndCode(answer)[1] : 'accepted'));
    // The issuer authenticates clients and tokens in its own way (RFC 6749, 2.3; RFC 6750, 3).
    if (endpoint.answersAs === 'oauth') expect(codes).not.toContain('unauthenticated');
    else if (endpoint.class === 'X') expect(codes).toEqual(['accepted', 'accepted', 'accepted', 'accepted']);
    else if (endpoint.class === 'Op')
      expect(codes).toEqual(['unauthenticated', 'unauthenticated', 'accepted', 'unauthenticated']);
    else if (endpoint.class === 'P') expect(new Set(codes)).toEqual(new Set(['invalid_token']));
    else if (endpoint.failsAs) expect(codes).toEqual([...Array(3).fill(endpoint.failsAs), 'accepted']);
    else expect(codes).toEqual(['invalid_session', 'invalid_token', 'invalid_token', 'accepted']);
  });
});
