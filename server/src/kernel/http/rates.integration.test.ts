import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';

const publicEnv = { GROUNDCTL_PUBLIC_URL: 'https://ground.example', GROUNDCTL_TRUST_PROXY: '127.0.0.1' };
let local: TestServer;
let open: TestServer;
beforeAll(async () => {
  [local, open] = await Promise.all([startTestServer(), startTestServer({ env: publicEnv })]);
});
afterAll(() => Promise.all([local.close(), open.close()]));

const statusCodeAndRetry = ({ status, json, headers }: RawAnswer) => [
  status,
  (json as { error?: { code: string } }).error?.code,
  headers['retry-after'] !== undefined,
];
const limited = [429, 'rate_limited', true];

/** Signs in with an invalid password, from an address that the trusted proxy forwards. */
const signIn = (server: TestServer, from: string, headers: Record<string, string> = {}) =>
  server.raw({
    method: 'POST',
    path: '/api/v1/auth/sign-in',
    headers: { 'x-forwarded-for': from, 'content-type': 'application/json', ...headers },
    body: '{',
  });

test('passwords are tried ten times a minute from one address, before any other check', async () => {
  for (let call = 0; call < 10; call += 1) expect((await signIn(open, '198.51.100.1')).status).toBe(400);
  expect(statusCodeAndRetry(await signIn(open, '198.51.100.1'))).toEqual(limited);
  // The limit comes before the browser rule, and after path and method.
  expect(statusCodeAndRetry(await signIn(open, '198.51.100.1', { origin: 'https://evil.example' }))).toEqual(limited);
  expect(statusCodeAndRetry(await signIn(open, '203.0.113.9, 198.51.100.1'))).toEqual(limited);
  expect((await signIn(open, '198.51.100.2')).status).toBe(400);
  const other = await open.raw({ path: '/api/v1/auth/sign-in', headers: { 'x-forwarded-for': '198.51.100.1' } });
  expect(other.status).toBe(405);
});

test('one network of IPv6 is one address', async () => {
  for (let call = 0; call < 10; call += 1) await signIn(open, `2001:db8:1:2::${call}`);
  expect(statusCodeAndRetry(await signIn(open, '2001:db8:1:2:ffff::1'))).toEqual(limited);
  expect((await signIn(open, '2001:db8:1:3::1')).status).toBe(400);
});

test('on a server without a proxy the header of a client means nothing', async () => {
  for (let call = 0; call < 10; call += 1) await signIn(local, `198.51.100.${call}`);
  expect(statusCodeAndRetry(await signIn(local, '198.51.100.77'))).toEqual(limited);
});

test('an account makes 1,200 calls a minute to a server that others reach, and as many as it likes to its own', {
  timeout: 60_000,
}, async () => {
  const { token } = await open.join('viewer');
  const request = (server: TestServer, bearer: string) =>
    server.raw({ path: `/api/v1/workspaces/${server.workspaceId}`, headers: { authorization: `Bearer ${bearer}` } });
  const statuses = new Map<number, number>();
  for (let round = 0; round < 61; round += 1) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => request(open, token)));
    for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  expect([...statuses]).toEqual([
    [200, 1_200],
    [429, 20],
  ]);
  expect((await request(open, open.token)).status).toBe(200);
  // A caller who is not signed in is not counted.
  expect((await open.raw({ path: '/api/v1/capabilities' })).status).toBe(200);
  for (let round = 0; round < 61; round += 1) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => request(local, local.token)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  }
});
