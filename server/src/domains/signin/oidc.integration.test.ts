import fs from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { heldClock, startTestServer, type TestServer, tempDir } from '../../../test/harness.ts';
import { hostClient, type OidcHost, startOidcHost } from '../../../test/oidc-host.ts';
import { goodPassword, setUpOwner, tokenOf, writeProviders } from '../../../test/people.ts';

const dir = tempDir();
const clock = heldClock(Date.now());
let host: OidcHost;
let server: TestServer;

/** Starts a server on the same port for the whole file, because the provider has a fixed callback URL. */
const start = async (more: { autoProvision?: boolean; env?: Record<string, string> } = {}) => {
  const { autoProvision = false, env = {} } = more;
  server = await startTestServer({ clock, env: { ...env, GROUNDCTL_SIGN_IN_PROVIDERS: `${dir}/providers.json` } });
  host = await startOidcHost(`${server.url}/api/v1/auth/oidc/example/callback`);
  writeProviders(dir, { issuer: host.issuer, ...hostClient, autoProvision });
  await server.restart();
};
const stop = async () => {
  await server.close();
  await host.close();
};
afterAll(() => fs.rmSync(dir, { recursive: true }));
beforeAll(() => writeProviders(dir));

/**
 * Simulates a browser: keeps cookies by origin and follows every redirect until a final page or a page of the server.
 */
async function signIn(query = '', tamper: (url: URL) => void = () => {}) {
  const jar = new Map<string, Map<string, string>>();
  let url = new URL(`${server.url}/api/v1/auth/oidc/example/start${query}`);
  for (let hop = 0; hop < 12; hop += 1) {
    if (url.pathname.endsWith('/callback')) tamper(url);
    const cookies = jar.get(url.origin) ?? new Map<string, string>();
    jar.set(url.origin, cookies);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const text of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    if (location === null) throw new Error(`no redirect but ${answer.status}: ${await answer.text()}`);
    url = new URL(location, url);
    const own = jar.get(server.url);
    if (url.origin === server.url && !url.pathname.startsWith('/api/'))
      return { landingPath: url.pathname + url.search, cookies: own ?? new Map<string, string>() };
  }
  throw new Error('the browser was sent around in circles');
}

const meOf = async (cookies: Map<string, string>) => {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return (await server.raw({ path: '/api/v1/account/session/me', headers: { cookie } })).json;
};
const isVerified = (email: string): boolean =>
  server.ledger(({ sqlite }) => {
    const verified = sqlite.prepare('SELECT email_verified_at IS NOT NULL FROM accounts WHERE email = ?');
    return verified.pluck().get(email) === 1;
  });
const notAllowed = '/sign-in?error=login_not_allowed';
const grace = { sub: 'g-1', email: 'grace@example.com', email_verified: true, name: 'Grace' };
const invite = async (email: string) =>
  (await server.api.addMember({ params: { workspaceId: server.workspaceId }, body: { email } })).body;

describe('a provider without automatic provisioning', () => {
  beforeAll(() => start({ env: { GROUNDCTL_OWNER_EMAIL: 'owner@example.com' } }));
  afterAll(stop);
  beforeEach(() => clock.advance(60_000));

  test('is listed, and an unknown one is not there', async () => {
    const { providers } = (await server.api.getCapabilities({})).body.signIn;
    expect(providers).toEqual([{ id: 'example', label: 'Example ID', protocol: 'oidc' }]);
    expect((await server.raw({ path: '/api/v1/auth/oidc/other/start' })).status).toBe(404);
  });

  test('rejects a user that this server does not know', async () => {
    host.become({ sub: 'x-1', email: 'unknown@example.com', email_verified: true });
    const { landingPath, cookies } = await signIn();
    expect(landingPath).toBe(notAllowed);
    expect([...cookies.keys()]).toEqual([]);
  });

  test('accepts every invitation of its verified e-mail and brings the browser to where it was going', async () => {
    const { member } = await invite(grace.email);
    host.become({ ...grace, email_verified: false });
    expect((await signIn()).landingPath).toBe(notAllowed);
    host.become(grace);
    const { landingPath, cookies } = await signIn('?return=/capsules?q=web');
    expect(landingPath).toBe('/capsules?q=web');
    expect(await meOf(cookies)).toMatchObject({ subject: member.accountId, displayName: 'Grace' });
    const { members } = (await server.api.listMembers({ params: { workspaceId: server.workspaceId } })).body;
    expect(members.find(({ id }) => id === member.id)?.status).toBe('active');
    expect(isVerified(grace.email)).toBe(true);
    // From now on the subject at the provider counts, regardless of its e-mail.
    host.become({ sub: grace.sub, email: 'married@example.com', email_verified: true });
    expect(await meOf((await signIn()).cookies)).toMatchObject({ subject: member.accountId });
  });

  test('does not accept an e-mail that becomes another one when lowercased', async () => {
    await invite('kate@example.com');
    host.become({ sub: 'k-1', email: '\u212aate@example.com', email_verified: true });
    expect((await signIn()).landingPath).toBe(notAllowed);
    host.become({ sub: 'k-2', email: 'KATE@example.com', email_verified: true });
    expect((await signIn()).landingPath).toBe('/');
  });

  test('never takes over an account by e-mail that has a password or another identity', async () => {
    host.become({ sub: 'g-2', email: grace.email, email_verified: true });
    expect((await signIn()).landingPath).toBe(notAllowed);
    const { invitation } = await invite('pia@example.com');
    const body = { token: tokenOf(invitation), displayName: 'Pia', password: goodPassword };
    await server.api.acceptInvitation({ body });
    // The person who invites passes the link on, so it proves no e-mail.
    expect(isVerified('pia@example.com')).toBe(false);
    host.become({ sub: 'p-1', email: 'pia@example.com', email_verified: true });
    expect((await signIn()).landingPath).toBe(notAllowed);
  });

  test('recognizes the local owner by the e-mail of the settings until a password is set', async () => {
    host.become({ sub: 'o-1', email: 'Owner@Example.com', email_verified: true });
    expect(await meOf((await signIn()).cookies)).toMatchObject({ subject: server.subject, email: 'owner@example.com' });
  });

  test('accepts the callback once, in time, from the same browser and with the issued state', async () => {
    host.become(grace);
    const states: string[] = [];
    const note = (url: URL) => states.push(url.search);
    expect((await signIn('', (url) => url.searchParams.set('state', 'invalid'))).landingPath).toContain(
      'state_invalid',
    );
    expect((await signIn('', (url) => url.searchParams.delete('state'))).landingPath).toContain('state_invalid');
    expect((await signIn('', () => clock.advance(600_000))).landingPath).toContain('state_invalid');
    expect((await signIn('', (url) => url.searchParams.set('code', 'invalid'))).landingPath).toContain(
      'provider_error',
    );
    expect((await signIn('', note)).landingPath).toBe('/');
    const again = await fetch(`${server.url}/api/v1/auth/oidc/example/callback${states[0]}`, { redirect: 'manual' });
    expect([again.status, again.headers.get('location')]).toEqual([303, '/sign-in?error=state_invalid']);
  });

  test('redirects only to pages of this server', async () => {
    for (const returnPath of [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      '/%0d%0aset-cookie:x',
      '/日本',
      'x',
    ]) {
      const encodedPath = returnPath.startsWith('/%') ? returnPath : encodeURIComponent(returnPath);
      const answer = await server.raw({ path: `/api/v1/auth/oidc/example/start?return=${encodedPath}` });
      expect([returnPath, answer.status]).toEqual([returnPath, 400]);
    }
  });

  test('that does not answer is reported as unavailable', async () => {
    const gone = host.issuer;
    await host.close();
    await server.restart();
    expect((await signIn()).landingPath).toBe('/sign-in?error=provider_error');
    expect(gone).toMatch(/^http:/);
  });
});

describe('a provider with automatic provisioning', () => {
  beforeAll(() => start({ autoProvision: true }));
  afterAll(stop);

  test('creates an account, and finds it the next time', async () => {
    host.become(grace);
    const first = await meOf((await signIn()).cookies);
    expect(first).toMatchObject({ displayName: 'Grace', email: grace.email });
    expect(await meOf((await signIn()).cookies)).toMatchObject({ subject: (first as { subject: string }).subject });
    host.become({ sub: 'n-1', email: grace.email });
    const other = await meOf((await signIn()).cookies);
    expect(other).not.toHaveProperty('email');
    expect(other).not.toMatchObject({ subject: (first as { subject: string }).subject });
  });

  test('never signs in to an account that has a password', async () => {
    await setUpOwner(server);
    host.become({ sub: 'o-2', email: 'owner@example.com', email_verified: true });
    expect((await signIn()).landingPath).toBe(notAllowed);
  });
});
