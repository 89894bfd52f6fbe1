import { createHash } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { canary } from '../../../test/connection-bodies.ts';
import { heldClock, type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';

/** Simulated code host: it answers the token address and records the requests. */
type Host = {
  url: string;
  requests: URLSearchParams[];
  answer: (form: URLSearchParams) => [number, string];
  close(): void;
};

let server: TestServer;
let host: Host;
const clock = heldClock();
const clientSecret = canary('client');

async function startHost(): Promise<Host> {
  const requests: URLSearchParams[] = [];
  const state: Pick<Host, 'answer'> = { answer: () => [200, '{}'] };
  const listener = http.createServer(async (request, response) => {
    const form = new URLSearchParams(await text(request));
    requests.push(form);
    const [status, body] = state.answer(form);
    response.writeHead(status, { 'content-type': 'application/json', location: '/elsewhere' }).end(body);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const close = () => {
    listener.closeAllConnections();
    listener.close();
  };
  return Object.assign(state, { url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`, requests, close });
}

const helper = (more: Record<string, unknown> = {}) => ({
  id: 'github',
  recipeId: 'github',
  authMode: 'token',
  authorizationUrl: `${host.url}/login/oauth/authorize?allow_signup=false`,
  tokenUrl: `${host.url}/login/oauth/access_token`,
  clientId: 'client-1',
  clientSecretFile: 'github.secret',
  scopes: ['repo', 'read:org'],
  envName: 'GITHUB_TOKEN',
  ...more,
});

beforeAll(async () => {
  [server, host] = await Promise.all([startTestServer({ clock }), startHost()]);
  const dir = path.join(server.dataDir, 'oauth-helpers');
  fs.mkdirSync(dir);
  fs.writeFileSync(path.join(dir, 'github.json'), JSON.stringify(helper()));
  fs.writeFileSync(path.join(dir, 'github.secret'), `${clientSecret}\n`);
  fs.writeFileSync(
    path.join(dir, 'plain.json'),
    JSON.stringify(helper({ id: 'plain', tokenUrl: 'http://example.com/t' })),
  );
  fs.writeFileSync(path.join(dir, 'wrong.json'), JSON.stringify(helper({ id: 'wrong', envName: 'AWS_ACCESS_KEY_ID' })));
});
afterAll(async () => {
  await server.close();
  host.close();
});
beforeEach(() => {
  host.requests.length = 0;
  host.answer = (form) => {
    const isRight = form.get('code') === 'good' && form.get('client_secret') === clientSecret;
    return [
      200,
      JSON.stringify(isRight ? { access_token: canary('token'), expires_in: 3_600 } : { error: 'bad_code' }),
    ];
  };
});

const start = async (body: Record<string, unknown> = {}, helperId = 'github') =>
  server.request('POST', `/api/v1/connections/oauth/${helperId}/start`, { workspaceId: server.workspaceId, ...body });
const startAuthorization = async () => {
  const { authorizationUrl, state } = (await start({ displayName: 'Mine' })).json as Record<string, string>;
  return { url: new URL(authorizationUrl ?? ''), state: state ?? '' };
};
const comeBack = (query: Record<string, string>, token: string | undefined = server.token, helperId = 'github') =>
  server.raw({
    path: `/api/v1/connections/oauth/${helperId}/callback?${new URLSearchParams(query)}`,
    headers: { ...(token && { authorization: `Bearer ${token}` }), 'sec-fetch-site': 'cross-site' },
  });
const statusAndLocation = ({ status, headers }: RawAnswer) => [status, headers.location];
const countConnections = async () =>
  (await server.api.listConnections({ query: { workspaceId: server.workspaceId } })).body.connections.length;

test('only complete helpers of the operator are listed', async () => {
  expect((await server.api.getCapabilities({})).body.oauthHelpers).toEqual(['github']);
  for (const id of ['plain', 'wrong', 'nothing']) expect((await start({}, id)).status).toBe(501);
  expect((await comeBack({}, undefined, 'nothing')).status).toBe(501);
});

test('a sign-in stores the token, with a code challenge and without showing the token', async () => {
  const { url, state } = await startAuthorization();
  expect(`${url.origin}${url.pathname}`).toBe(`${host.url}/login/oauth/authorize`);
  const callback = `${server.url}/api/v1/connections/oauth/github/callback`;
  expect(Object.fromEntries(url.searchParams)).toEqual({
    allow_signup: 'false',
    response_type: 'code',
    client_id: 'client-1',
    redirect_uri: callback,
    scope: 'repo read:org',
    state,
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
  });
  const answer = await comeBack({ code: 'good', state });
  expect(statusAndLocation(answer)).toEqual([
    303,
    expect.stringMatching(/^\/connections\?connected=1&connection_id=conn_\w+&connection_status=pending$/),
  ]);
  expect(answer.text).toBe('');
  const [form] = host.requests;
  expect(form?.get('grant_type')).toBe('authorization_code');
  expect(form?.get('redirect_uri')).toBe(callback);
  const challenge = createHash('sha256')
    .update(form?.get('code_verifier') ?? '')
    .digest('base64url');
  expect(challenge).toBe(url.searchParams.get('code_challenge'));
  const id = /conn_\w+/.exec(answer.headers.location ?? '')?.[0];
  const { connections } = (await server.api.listConnections({ query: { workspaceId: server.workspaceId } })).body;
  expect(connections.find((one) => one.id === id)).toMatchObject({
    provider: 'integrations/github',
    displayName: 'Mine',
    credentialRecipe: { id: 'github', authMode: 'token' },
    envNames: ['GITHUB_TOKEN'],
    expiresAt: new Date(clock.now() + 3_600_000).toISOString(),
  });
});

test('a state is valid once, for ten minutes, for its helper and for the session that started the sign-in', async () => {
  const before = await countConnections();
  const twice = await startAuthorization();
  await comeBack({ code: 'bad', state: twice.state });
  expect(statusAndLocation(await comeBack({ code: 'good', state: twice.state }))[1]).toContain(
    'connection_error=oauth_failed',
  );
  const late = await startAuthorization();
  clock.advance(600_000);
  expect(statusAndLocation(await comeBack({ code: 'good', state: late.state }))[1]).toContain('oauth_failed');
  const { token } = await server.join('owner');
  const stolen = await startAuthorization();
  expect(statusAndLocation(await comeBack({ code: 'good', state: stolen.state }, token))).toEqual([
    303,
    '/connections?connection_error=forbidden',
  ]);
  const anonymous = await startAuthorization();
  expect(statusAndLocation(await comeBack({ code: 'good', state: anonymous.state }, ''))[1]).toContain('forbidden');
  expect(statusAndLocation(await comeBack({ state: (await startAuthorization()).state }))[1]).toContain('missing_code');
  expect(statusAndLocation(await comeBack({ code: 'good' }))[1]).toContain('missing_code');
  expect(statusAndLocation(await comeBack({ code: 'good', state: 'made-up' }))[1]).toContain('oauth_failed');
  expect(host.requests.map((form) => form.get('code'))).toEqual(['bad']);
  expect(await countConnections()).toBe(before);
});

test('a code host that gives no token, redirects or floods ends in a failure without its response text', async () => {
  const before = await countConnections();
  const answers: [number, string][] = [
    [200, 'no json'],
    [200, '{"access_token":"a b"}'],
    [302, JSON.stringify({ access_token: 'x' })],
    [500, JSON.stringify({ access_token: 'x' })],
    [200, 'x'.repeat(100_000)],
  ];
  for (const answer of answers) {
    host.answer = () => answer;
    expect(statusAndLocation(await comeBack({ code: 'good', state: (await startAuthorization()).state }))).toEqual([
      303,
      '/connections?connection_error=oauth_failed',
    ]);
  }
  expect(await countConnections()).toBe(before);
});

test('a person without access to credentials cannot start a sign-in, and cannot finish one after losing access', async () => {
  const body = { workspaceId: server.workspaceId };
  for (const role of ['member', 'viewer'] as const) {
    const { token } = await server.join(role);
    const answer = await server.request('POST', '/api/v1/connections/oauth/github/start', body, {
      authorization: `Bearer ${token}`,
    });
    expect(answer.status).toBe(403);
  }
  const { token, subject } = await server.join('admin');
  const bearer = { authorization: `Bearer ${token}` };
  const started = (await server.request('POST', '/api/v1/connections/oauth/github/start', body, bearer)).json as {
    state: string;
  };
  server.ledger((db) => db.sqlite.prepare("UPDATE members SET role = 'viewer' WHERE account_id = ?").run(subject));
  expect(statusAndLocation(await comeBack({ code: 'good', state: started.state }, token))[1]).toContain('forbidden');
  const archived = await startAuthorization();
  const archive = (at: number | null) =>
    server.ledger((db) => db.sqlite.prepare('UPDATE workspaces SET archived_at = ?').run(at));
  archive(1);
  expect(statusAndLocation(await comeBack({ code: 'good', state: archived.state }))[1]).toContain('forbidden');
  archive(null);
});
