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
export async function openAs(cookie: string, url: URL): Promise<URL> {
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

/** Signs an account in by a one-time link, the owner by default, and returns the cookie of the session. */
export async function signInCookie(server: TestServer, subject = server.subject): Promise<string> {
  const { url } = (await server.as(server.operatorToken).issueSignInLink({ body: { subject } })).body;
  const body = JSON.stringify({ token: new URL(url).hash.slice(1) });
  const answer = await server.raw({ method: 'POST', path: '/api/v1/auth/link', body });
  return answer.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? '';
}

/** Creates the request of an app that uses a public OpenID Connect library, with what the app expects of the answer. */
export async function requestOfApp({ origin, clientId, parameters = {} }: Omit<Flow, 'cookie'>) {
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
  return { config, url, checks: { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce } };
}

/** Begins a sign-in at an app, with consent where it is required, and returns the address that the browser is sent to. */
export async function authorizeAtApp({ cookie, ...flow }: Flow) {
  const { config, url, checks } = await requestOfApp(flow);
  const sent = await openAs(cookie, url);
  const callback = sent.origin === flow.origin ? await allow(sent, cookie) : sent;
  return { config, callback, checks };
}

/** Signs in at an app, which exchanges its code. */
export async function signInAtApp(flow: Flow) {
  const started = await authorizeAtApp(flow);
  const tokens = await client.authorizationCodeGrant(started.config, started.callback, started.checks);
  return { ...started, tokens };
}
