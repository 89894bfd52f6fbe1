import { createHash } from 'node:crypto';
import { cliClientId } from '#shared/issuer/contract';
import type { RawAnswer, TestServer } from '../harness.ts';

const verifier = 'v'.repeat(43);
const redirectUri = 'http://127.0.0.1:4999/callback';
const formType = { 'content-type': 'application/x-www-form-urlencoded' };

const locationOf = ({ headers }: RawAnswer, server: TestServer): URL => new URL(headers.location ?? '', server.url);

async function cookieOf(server: TestServer): Promise<string> {
  const { url } = (await server.as(server.operatorToken).issueSignInLink({ body: {} })).body;
  const body = JSON.stringify({ token: new URL(url).hash.slice(1) });
  const answer = await server.raw({ method: 'POST', path: '/api/v1/auth/link', headers: {}, body });
  return answer.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? '';
}

/** A sign-in of the command line at the issuer, from the metadata to the end of its tokens. */
export async function requestIssuer(server: TestServer): Promise<void> {
  await server.raw({ path: '/.well-known/openid-configuration' });
  await server.raw({ path: '/oauth/jwks' });
  await server.as(server.operatorToken).rotateOidcKey({});
  const cookie = await cookieOf(server);
  const search = new URLSearchParams({
    response_type: 'code',
    client_id: cliClientId,
    redirect_uri: redirectUri,
    scope: 'openid offline_access capsules:read',
    state: 's',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    workspace_id: server.workspaceId,
  });
  const path = `/oauth/authorize?${search}`;
  const page = locationOf(await server.raw({ path, headers: { cookie } }), server).pathname;
  await server.raw({ path: page, headers: { cookie, accept: 'text/html' } });
  const headers = { cookie, origin: server.url, ...formType };
  const allowed = await server.raw({ method: 'POST', path: page, headers, body: 'decision=allow' });
  await server.raw({ path, headers: { cookie } });
  await requestTokens(server, locationOf(allowed, server).searchParams.get('code') ?? '');
  const { consents } = (await server.api.listConsents({})).body;
  await server.api.withdrawConsent({ params: { consentId: consents[0]?.id ?? '' } });
}

async function requestTokens(server: TestServer, code: string): Promise<void> {
  const post = (path: string, form: Record<string, string>) => {
    const body = String(new URLSearchParams({ client_id: cliClientId, ...form }));
    return server.raw({ method: 'POST', path, headers: formType, body });
  };
  const exchange = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
  const { json } = await post('/oauth/token', exchange);
  const { access_token: token = '' } = json as { access_token?: string };
  await server.raw({ path: '/oauth/userinfo', headers: { authorization: `Bearer ${token}` } });
  await post('/oauth/introspect', { token });
  await post('/oauth/revoke', { token });
}
