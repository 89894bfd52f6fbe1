import fs from 'node:fs';
import path from 'node:path';
import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256Hex } from '#server/kernel/digest';
import { type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';

const secret = 'a secret of this test alone';
const webRedirect = 'https://notes.example.com/callback';
const clients = [
  {
    clientId: 'notes',
    name: 'Notes <b>',
    redirectUris: [webRedirect],
    tokenEndpointAuthMethod: 'client_secret_basic',
    clientSecretSha256: sha256Hex(secret),
    scopes: ['openid', 'profile', 'email', 'offline_access', 'capsules:read'],
  },
];

let server: TestServer;
let cookie: string;
beforeAll(async () => {
  server = await startTestServer();
  fs.writeFileSync(path.join(server.dataDir, 'oidc-clients.json'), JSON.stringify(clients));
  await server.restart();
  cookie = await signIn();
});
afterAll(() => server.close());

async function signIn(): Promise<string> {
  const { url } = (await server.as(server.operatorToken).issueSignInLink({ body: {} })).body;
  const body = JSON.stringify({ token: new URL(url).hash.slice(1) });
  const answer = await server.raw({ method: 'POST', path: '/api/v1/auth/link', headers: {}, body });
  return answer.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? '';
}

type Flow = { config: client.Configuration; redirectUri: string; scope: string; workspaceId?: string };
const verifier = client.randomPKCECodeVerifier();

async function authorizationUrl({ config, redirectUri, scope, workspaceId }: Flow, more: Record<string, string> = {}) {
  return client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state: 'state',
    nonce: 'nonce',
    ...(workspaceId !== undefined && { workspace_id: workspaceId }),
    ...more,
  });
}

const get = (url: string | URL, headers: Record<string, string> = { cookie }): Promise<RawAnswer> => {
  const { pathname, search } = new URL(url, server.url);
  return server.raw({ path: pathname + search, headers: { accept: 'text/html', ...headers } });
};
const locationOf = ({ headers }: RawAnswer) => new URL(headers.location ?? '', server.url);

const decide = (page: URL, decision: string, headers: Record<string, string> = {}) =>
  server.raw({
    method: 'POST',
    path: page.pathname,
    headers: {
      cookie,
      origin: server.url,
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    body: `decision=${decision}`,
  });

async function discover(id: string, clientSecret?: string): Promise<client.Configuration> {
  const method = clientSecret === undefined ? client.None() : client.ClientSecretBasic(clientSecret);
  return client.discovery(new URL(server.url), id, undefined, method, { execute: [client.allowInsecureRequests] });
}

/** Signs in at a client: allows it where the page of consent is shown, and exchanges the code. */
async function tokensOf(flow: Flow) {
  let answer = await get(await authorizationUrl(flow));
  const page = locationOf(answer);
  if (page.pathname.startsWith('/oauth/consent/')) answer = await decide(page, 'allow');
  const back = locationOf(answer);
  return client.authorizationCodeGrant(flow.config, back, {
    pkceCodeVerifier: verifier,
    expectedState: 'state',
    expectedNonce: 'nonce',
  });
}
const notes = async (): Promise<Flow> => ({
  config: await discover('notes', secret),
  redirectUri: webRedirect,
  scope: 'openid profile email offline_access capsules:read',
  workspaceId: server.workspaceId,
});
const commandLine = async (): Promise<Flow> => ({
  config: await discover('groundctl-cli'),
  redirectUri: 'http://127.0.0.1:43111/callback',
  scope: 'openid offline_access capsules:read capsules:write',
  workspaceId: server.workspaceId,
});

describe('a sign-in at a client', () => {
  it('asks once, and gives an ID token, a refresh token and an access token of the Workspace', async () => {
    const flow = await notes();
    const tokens = await tokensOf(flow);
    expect(tokens.claims()).toMatchObject({
      iss: server.url,
      aud: 'notes',
      svc: { workspace_id: server.workspaceId, role: 'owner' },
    });
    const info = await client.fetchUserInfo(flow.config, tokens.access_token, tokens.claims()?.sub ?? '');
    expect(info).toMatchObject({ aud: 'notes', workspace_memberships: [server.workspaceId] });
    const again = await get(await authorizationUrl(flow));
    expect([again.status, locationOf(again).origin]).toEqual([302, 'https://notes.example.com']);
    const refreshed = await client.refreshTokenGrant(flow.config, tokens.refresh_token ?? '');
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);
  });

  it('reads the API in its Workspace by its scopes, and nothing else', async () => {
    const { access_token: token } = await tokensOf(await notes());
    const api = server.as(token);
    const { capsules } = (await api.listCapsules({ params: { workspaceId: server.workspaceId } })).body;
    expect(capsules).toEqual([]);
    await expect(
      api.createProject({ params: { workspaceId: server.workspaceId }, body: { name: 'P', slug: 'p' } }),
    ).rejects.toMatchObject({ code: 'insufficient_scope' });
    const { workspaceId: foreign } = { workspaceId: `ws_${'0'.repeat(15)}` };
    await expect(api.listCapsules({ params: { workspaceId: foreign } })).rejects.toMatchObject({ status: 404 });
  });

  it('serves a native client at any port of the loopback address', async () => {
    const tokens = await tokensOf(await commandLine());
    const api = server.as(tokens.access_token);
    const body = { name: 'From the command line', slug: 'cli' };
    const { project } = (await api.createProject({ params: { workspaceId: server.workspaceId }, body })).body;
    expect(project.slug).toBe('cli');
  });

  it('ends everything that a client received when its consent is withdrawn', async () => {
    const flow = await notes();
    const tokens = await tokensOf(flow);
    const { consents } = (await server.api.listConsents({})).body;
    const consent = consents.find(({ clientId }) => clientId === 'notes');
    expect(consent).toMatchObject({ name: 'Notes <b>', workspaceId: server.workspaceId });
    await server.api.withdrawConsent({ params: { consentId: consent?.id ?? '' } });
    await expect(client.refreshTokenGrant(flow.config, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    await expect(server.as(tokens.access_token).listWorkspaces({})).rejects.toMatchObject({ code: 'invalid_token' });
    expect(locationOf(await get(await authorizationUrl(flow))).pathname).toMatch(/^\/oauth\/consent\/[\w-]{43}$/);
  });
});

describe('an end of authority', () => {
  it('ends grants when their account leaves the Workspace, also when it comes back', async () => {
    const { subject, token } = await server.join('admin');
    const link = (await server.as(server.operatorToken).issueSignInLink({ body: { subject } })).body.url;
    const body = JSON.stringify({ token: new URL(link).hash.slice(1) });
    const signedIn = await server.raw({ method: 'POST', path: '/api/v1/auth/link', headers: {}, body });
    const own = cookie;
    cookie = signedIn.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? '';
    const flow = await notes();
    const tokens = await tokensOf(flow).finally(() => {
      cookie = own;
    });
    const params = { workspaceId: server.workspaceId, subject };
    await server.api.removeMember({ params });
    await server.api.addMember({ params, body: { accountId: subject, role: 'admin' } });
    await expect(server.as(token).listCapsules({ params })).resolves.toBeDefined();
    await expect(server.as(tokens.access_token).listCapsules({ params })).rejects.toMatchObject({ status: 401 });
    await expect(client.refreshTokenGrant(flow.config, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });
});

describe('an introspection', () => {
  const introspect = (form: Record<string, string>) =>
    server.raw({
      method: 'POST',
      path: '/oauth/introspect',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: String(new URLSearchParams(form)),
    });

  it.each([
    ['of a client without a secret', { client_id: 'groundctl-cli' }],
    ['without a client', {}],
    ['with a wrong secret', { client_id: 'notes', client_secret: 'wrong' }],
  ])('%s is 401 with a challenge, whatever the token', async (_, form) => {
    const body = { name: 'pat', scopes: ['read' as const] };
    const { token = '' } = (await server.api.createToken({ body })).body as { token?: string };
    const answer = await introspect({ token, ...form });
    expect([answer.status, (answer.json as { error: string }).error]).toEqual([401, 'invalid_client']);
    expect(answer.headers['www-authenticate']).toBe('Basic realm="svc"');
  });
});

describe('the page of consent', () => {
  const openPage = async () => {
    const { consents } = (await server.api.listConsents({})).body;
    for (const { id } of consents) await server.api.withdrawConsent({ params: { consentId: id } });
    return locationOf(await get(await authorizationUrl(await notes())));
  };

  it('names client, host, Workspace and scopes, has no script, and lets its form lead to the redirect', async () => {
    const answer = await get(await openPage());
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('Notes &lt;b&gt;');
    expect(answer.text).toContain('notes.example.com');
    expect(answer.text).not.toContain('<script');
    expect(answer.headers['content-security-policy']).toContain("form-action 'self' https://notes.example.com");
  });

  it('sends a denial to the client, and is used up by it', async () => {
    const page = await openPage();
    const { searchParams } = locationOf(await decide(page, 'deny'));
    expect([searchParams.get('error'), searchParams.get('state'), searchParams.get('iss')]).toEqual([
      'access_denied',
      'state',
      server.url,
    ]);
    expect((await decide(page, 'allow')).status).toBe(400);
  });

  it('belongs to the session that it was asked in, and to its own form', async () => {
    const page = await openPage();
    expect((await decide(page, 'allow', { cookie: await signIn() })).status).toBe(400);
    expect((await decide(page, 'allow', { origin: 'https://evil.example' })).status).toBe(403);
    expect((await decide(page, 'allow')).status).toBe(303);
  });
});
