import * as client from 'openid-client';
import type { TestServer } from '../harness.ts';
import { issuerClients, redirectOf, secretOf } from './clients.ts';

export type Flow = {
  /** Origin of the server. */
  origin: string;
  clientId: string;
  /** Cookie of the person who signs in. */
  cookie: string;
  parameters?: Record<string, string>;
};

/** Reads the metadata of a server as a client with its registered method. */
export async function discoverAs(clientId: string, origin: string): Promise<client.Configuration> {
  const method = issuerClients.find((one) => one.clientId === clientId)?.tokenEndpointAuthMethod;
  const authentication = {
    client_secret_basic: client.ClientSecretBasic(secretOf(clientId)),
    client_secret_post: client.ClientSecretPost(secretOf(clientId)),
    none: client.None(),
  }[method ?? 'none'];
  const execute = origin.startsWith('http:') ? [client.allowInsecureRequests] : [];
  return client.discovery(new URL(origin), clientId, undefined, authentication, { execute });
}

/** Opens an address as a browser that is signed in, and returns the address that it is sent to. */
async function open(url: URL, cookie: string): Promise<URL> {
  const answer = await fetch(url, { headers: { cookie, accept: 'text/html' }, redirect: 'manual' });
  return new URL(answer.headers.get('location') ?? url.origin, url);
}

/** Allows the client on the page of consent, and returns the address that the browser is sent to. */
async function allow(page: URL, cookie: string): Promise<URL> {
  const headers = { cookie, origin: page.origin };
  const body = new URLSearchParams({ decision: 'allow' });
  const answer = await fetch(page, { method: 'POST', headers, body, redirect: 'manual' });
  return new URL(answer.headers.get('location') ?? page.origin, page);
}

/** Signs in at the server by a one-time link, and returns the cookie of the session. */
export async function signInCookie(server: TestServer): Promise<string> {
  const { url } = (await server.as(server.operatorToken).issueSignInLink({ body: {} })).body;
  const body = JSON.stringify({ token: new URL(url).hash.slice(1) });
  const answer = await server.raw({ method: 'POST', path: '/api/v1/auth/link', body });
  return answer.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? '';
}

/**
 * Begins a sign-in at an app that uses a public OpenID Connect library, with consent where it is required. Returns the
 * address at the app that the browser is sent to, and what the app expects there.
 */
export async function authorizeAtApp({ origin, clientId, cookie, parameters = {} }: Flow) {
  const config = await discoverAs(clientId, origin);
  const verifier = client.randomPKCECodeVerifier();
  const [state, nonce] = [client.randomState(), client.randomNonce()];
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectOf(clientId),
    scope: 'openid profile email offline_access capsules:read',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...parameters,
  });
  const sent = await open(url, cookie);
  const callback = sent.origin === origin ? await allow(sent, cookie) : sent;
  const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce };
  return { config, callback, checks };
}

/** Signs in at an app, which exchanges its code. */
export async function signInAtApp(flow: Flow) {
  const started = await authorizeAtApp(flow);
  const tokens = await client.authorizationCodeGrant(started.config, started.callback, started.checks);
  return { ...started, tokens };
}
