import fs from 'node:fs';
import path from 'node:path';
import tls from 'node:tls';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeTree } from '#server/kernel/remove-tree';
import { createAuthority } from '../../../test/certificate-authority.ts';
import { startTestServer, type TestServer, tempDir } from '../../../test/harness.ts';
import { authorizeAtApp, signInAtApp, signInCookie } from '../../../test/issuer/app.ts';
import { issuerClients } from '../../../test/issuer/clients.ts';
import { productDiscovery, providerMetadata, publicKeys } from '../../../test/issuer/metadata-schema.ts';

const folder = tempDir();
const trusted = tls.getCACertificates('default');
afterAll(() => {
  tls.setDefaultCACertificates(trusted);
  removeTree(folder);
});

/** Returns the settings of a server with a certificate of an authority that this process trusts from now on. */
async function secureSettings(): Promise<Record<string, string>> {
  const { ca, server } = await createAuthority();
  tls.setDefaultCACertificates([...trusted, ca]);
  const files = { GROUNDCTL_TLS_CERT: path.join(folder, 'cert.pem'), GROUNDCTL_TLS_KEY: path.join(folder, 'key.pem') };
  fs.writeFileSync(files.GROUNDCTL_TLS_CERT, server.cert, { mode: 0o600 });
  fs.writeFileSync(files.GROUNDCTL_TLS_KEY, server.key, { mode: 0o600 });
  return files;
}

describe.each([
  ['http at a loopback address', async () => ({})],
  ['https with a certificate of an own authority', secureSettings],
])('a public OpenID Connect library over %s', (_, settings) => {
  let server: TestServer;
  let cookie: string;
  beforeAll(async () => {
    server = await startTestServer({ env: await settings() });
    fs.writeFileSync(path.join(server.dataDir, 'oidc-clients.json'), JSON.stringify(issuerClients));
    await server.restart();
    cookie = await signInCookie(server);
  });
  afterAll(() => server.close());
  const flow = (clientId: string, parameters: Record<string, string> = {}) => ({
    origin: server.url,
    clientId,
    cookie,
    parameters: { workspace_id: server.workspaceId, ...parameters },
  });
  const signIn = (clientId: string) => signInAtApp(flow(clientId));
  const verify = (idToken: string | undefined, audience: string) =>
    jwtVerify(idToken ?? '', createRemoteJWKSet(new URL(`${server.url}/oauth/jwks`)), {
      algorithms: ['ES256'],
      issuer: server.url,
      audience,
      requiredClaims: ['sub', 'iat', 'exp'],
      maxTokenAge: '300s',
    });

  it('reads metadata that match their schemas', async () => {
    const read = async (address: string) => (await fetch(`${server.url}${address}`)).json();
    expect(
      providerMetadata(server.url).safeParse(await read('/.well-known/openid-configuration')).error,
    ).toBeUndefined();
    expect(productDiscovery(server.url).safeParse(await read('/.well-known/svc')).error).toBeUndefined();
    expect(publicKeys.safeParse(await read('/oauth/jwks')).error).toBeUndefined();
  });

  it.each(['notes', 'journal', 'board'])('completes every flow as %s', async (clientId) => {
    const { config, callback, checks, tokens } = await signIn(clientId);
    expect(callback.searchParams.get('iss')).toBe(server.url);
    const { payload, protectedHeader } = await verify(tokens.id_token, clientId);
    expect(payload).toMatchObject({
      nonce: checks.expectedNonce,
      svc: { workspace_id: server.workspaceId, role: 'owner' },
    });
    expect(protectedHeader.kid).toMatch(/^[\w-]{43}$/);
    const info = await client.fetchUserInfo(config, tokens.access_token, String(payload.sub));
    expect(info).toMatchObject({ sub: payload.sub, aud: clientId, workspace_memberships: [server.workspaceId] });

    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect((await verify(refreshed.id_token, clientId)).payload.sub).toBe(payload.sub);
    const narrower = { scope: 'openid email' };
    const narrowed = await client.refreshTokenGrant(config, refreshed.refresh_token ?? '', narrower);
    expect(narrowed.scope?.split(' ').sort()).toEqual(['email', 'openid']);
    await verify(narrowed.id_token, clientId);

    await client.tokenRevocation(config, narrowed.refresh_token ?? '');
    await expect(client.fetchUserInfo(config, narrowed.access_token, String(payload.sub))).rejects.toMatchObject({
      status: 401,
    });
    await expect(client.refreshTokenGrant(config, narrowed.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });

  it.each(['notes', 'journal'])('introspects as %s, until the token is revoked', async (clientId) => {
    const { config, tokens } = await signIn(clientId);
    const described = await client.tokenIntrospection(config, tokens.access_token);
    expect(described).toMatchObject({
      active: true,
      client_id: clientId,
      aud: clientId,
      iss: server.url,
      token_use: 'access',
    });
    expect(described.sub).toBe(tokens.claims()?.sub);
    await client.tokenRevocation(config, tokens.access_token);
    expect(await client.tokenIntrospection(config, tokens.access_token)).toEqual({ active: false });
  });

  it('verifies ID tokens of the replaced key and of the new one, which signs a refresh', async () => {
    const { config, tokens } = await signIn('notes');
    const { kid } = (await server.as(server.operatorToken).rotateOidcKey({})).body;
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect((await verify(tokens.id_token, 'notes')).protectedHeader.kid).not.toBe(kid);
    expect((await verify(refreshed.id_token, 'notes')).protectedHeader.kid).toBe(kid);
  });

  it('gives an account other subjects at clients of other hosts, and the same one at each sign-in', async () => {
    const subjects = [await signIn('notes'), await signIn('notes'), await signIn('board')].map(
      ({ tokens }) => tokens.claims()?.sub,
    );
    expect(subjects[0]).toBe(subjects[1]);
    expect(subjects[0]).not.toBe(subjects[2]);
    expect(subjects).not.toContain(server.subject);
  });

  it('answers in the fragment on request, with state and issuer', async () => {
    const { callback, checks } = await authorizeAtApp(flow('notes', { response_mode: 'fragment' }));
    const answer = new URLSearchParams(callback.hash.slice(1));
    expect([callback.search, answer.get('state'), answer.get('iss')]).toEqual(['', checks.expectedState, server.url]);
    expect(answer.get('code')).toMatch(/^[\w-]{43}$/);
  });

  it.each([
    ['another issuer (RFC 9207, 2.4)', (url: URL) => url.searchParams.set('iss', 'https://evil.example'), {}],
    ['no issuer (RFC 9207, 2.4)', (url: URL) => url.searchParams.delete('iss'), {}],
    ['another state (RFC 6749, 10.12)', (url: URL) => url.searchParams.set('state', 'other'), {}],
    ['the nonce of another request (OpenID Connect Core 1.0, 3.1.3.7)', () => {}, { expectedNonce: 'other' }],
    [
      'the verifier of another request (RFC 9700, 2.1.1)',
      () => {},
      { pkceCodeVerifier: client.randomPKCECodeVerifier() },
    ],
  ])('lets an app detect an answer with %s', async (_case, change, expected) => {
    const { config, callback, checks } = await authorizeAtApp(flow('board'));
    change(callback);
    await expect(client.authorizationCodeGrant(config, callback, { ...checks, ...expected })).rejects.toThrow();
  });

  it('completes the flow of the same app unchanged', async () => {
    const { tokens } = await signIn('board');
    expect(tokens.claims()).toMatchObject({ iss: server.url, aud: 'board' });
  });
});
