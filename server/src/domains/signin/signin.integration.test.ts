import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { heldClock, type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';
import { goodPassword, otherPassword, setUpOwner, tokenOf } from '../../../test/people.ts';
import { makeToken } from '../../../test/tokens.ts';

let server: TestServer;
let clock: ReturnType<typeof heldClock>;
beforeEach(async () => {
  clock = heldClock(Date.now());
  server = await startTestServer({ clock });
});
afterEach(() => server.close());

const json = { 'content-type': 'application/json' };
const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  server.raw({ method: 'POST', path: `/api/v1${path}`, headers: { ...json, ...headers }, body: JSON.stringify(body) });
const statusAndCode = ({ status, json: body }: RawAnswer) => {
  const { error } = body as { error?: { code: string; details?: { reason?: string } } };
  return [status, error?.details?.reason ?? error?.code];
};
const cookieOf = (answer: RawAnswer) => answer.headers['set-cookie']?.[0] ?? '';
const pairOf = (answer: RawAnswer) => cookieOf(answer).split(';', 1)[0] ?? '';
const owner = 'owner@example.com';
const signIn = (email: string, password: string) => post('/auth/sign-in', { email, password });
const sessionsOf = async (cookie: string) => {
  const answer = await server.raw({ path: '/api/v1/account/sessions', headers: { cookie } });
  return (answer.json as { sessions: { id: string; current: boolean; lastSeenAt: string }[] }).sessions;
};

describe('setup', () => {
  const setUp = (code: string, password = goodPassword) =>
    post('/auth/setup', { code, email: ' Owner@Example.com ', displayName: 'Ada', password });

  test('gives the local owner an e-mail and a password, once, with the code of the console', async () => {
    const code = server.setupCode() ?? '';
    expect(code).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{4}-){2}[0-9A-HJKMNP-TV-Z]{4}$/);
    expect((await server.api.listProviders({})).body).toMatchObject({ password: true, setupRequired: true });
    expect(statusAndCode(await setUp('0000-0000-0000'))).toEqual([401, 'invalid_credentials']);
    expect(statusAndCode(await setUp(code, 'short'))).toEqual([400, 'password_too_weak']);
    expect(statusAndCode(await setUp(code, owner))).toEqual([400, 'password_too_weak']);
    const spoken = code.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l');
    const answer = await setUp(spoken);
    expect([answer.status, cookieOf(answer)]).toEqual([201, expect.stringContaining('HttpOnly; SameSite=Lax; Path=/')]);
    const me = await server.raw({ path: '/api/v1/account/session/me', headers: { cookie: pairOf(answer) } });
    expect(me.json).toMatchObject({ subject: server.subject, email: owner, displayName: 'Ada' });
    expect(server.setupCode()).toBeUndefined();
    clock.advance(60_000);
    expect(statusAndCode(await setUp(code))).toEqual([404, 'not_found']);
  });

  test('has a fresh code after each start', async () => {
    const before = server.setupCode() ?? '';
    await server.restart();
    expect(server.setupCode()).not.toBe(before);
    expect(statusAndCode(await setUp(before))).toEqual([401, 'invalid_credentials']);
  });

  test('belongs to the first account, even when the clock was set back before the second one was created', async () => {
    clock.advance(-86_400_000);
    const params = { workspaceId: server.workspaceId };
    await server.api.addMember({ params, body: { email: 'grace@example.com' } });
    expect((await setUp(server.setupCode() ?? '')).json).toMatchObject({ session: { subject: server.subject } });
    expect((await server.request('GET', '/api/v1/vault')).status).toBe(200);
  });

  test('succeeds once when many requests arrive at once', async () => {
    const code = server.setupCode() ?? '';
    const tries = Array.from({ length: 4 }, (_, at) =>
      post('/auth/setup', { code, email: `a${at}@x.y`, displayName: 'A', password: goodPassword }),
    );
    expect((await Promise.all(tries)).map(({ status }) => status).sort()).toEqual([201, 404, 404, 404]);
  });
});

describe('e-mail and password', () => {
  beforeEach(() => setUpOwner(server));

  test('open a session; a wrong password and an unknown e-mail get the same answer', async () => {
    const answer = await signIn(' OWNER@example.com', goodPassword);
    expect(answer.json).toEqual({ session: expect.objectContaining({ subject: server.subject }) });
    expect(await sessionsOf(pairOf(answer))).toHaveLength(3);
    const [wrong, unknownUser] = [await signIn(owner, otherPassword), await signIn('x@y.z', otherPassword)];
    for (const refused of [wrong, unknownUser]) {
      expect([...statusAndCode(refused), cookieOf(refused)]).toEqual([401, 'invalid_credentials', '']);
      expect(refused.headers['www-authenticate']).toBe('Bearer realm="svc"');
    }
    const message = ({ json: body }: RawAnswer) => (body as { error: { message: string } }).error.message;
    expect(message(wrong)).toBe(message(unknownUser));
  });

  test('are limited to five tries a minute per e-mail and ten per address', async () => {
    const statuses: number[] = [];
    for (let at = 0; at < 6; at += 1) statuses.push((await signIn('same@x.y', 'no')).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    clock.advance(60_000);
    const many: number[] = [];
    for (let at = 0; at < 11; at += 1) many.push((await signIn(`p${at}@x.y`, 'no')).status);
    expect(many.filter((status) => status === 429)).toHaveLength(1);
    // Sixteen passwords are hashed, on a machine that may be busy.
  }, 120_000);

  test('do not sign in a disabled account, whose sessions end', async () => {
    const cookie = pairOf(await signIn(owner, goodPassword));
    const { token } = await makeToken(server, { scopes: ['read'] });
    server.ledger((db) => db.sqlite.prepare('UPDATE accounts SET disabled_at = 1').run());
    for (const path of ['/workspaces', '/account/tokens/current']) {
      const answer = await server.raw({ path: `/api/v1${path}`, headers: { authorization: `Bearer ${token}` } });
      expect([path, ...statusAndCode(answer)]).toEqual([path, 401, 'invalid_token']);
    }
    expect(statusAndCode(await signIn(owner, goodPassword))).toEqual([403, 'login_not_allowed']);
    expect(statusAndCode(await signIn(owner, otherPassword))).toEqual([401, 'invalid_credentials']);
    expect(statusAndCode(await server.raw({ path: '/api/v1/account/sessions', headers: { cookie } }))[0]).toBe(401);
  });

  test('are stored only as argon2id', () => {
    const { hash } = server.ledger((db) => db.sqlite.prepare('SELECT password_hash AS hash FROM accounts').get()) as {
      hash: string;
    };
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=1\$/);
  });
});

describe('a change of password', () => {
  const change = (cookie: string, body: object) => post('/account/password', body, { cookie, origin: server.url });
  const linkCookie = async () => {
    const { url } = (await server.as(server.operatorToken).issueSignInLink({ body: {} })).body;
    return pairOf(await post('/auth/link', { token: new URL(url).hash.slice(1) }));
  };

  test('asks for the current one and ends every other session', async () => {
    await setUpOwner(server);
    const [mine, other] = [pairOf(await signIn(owner, goodPassword)), pairOf(await signIn(owner, goodPassword))];
    const body = { currentPassword: goodPassword, newPassword: otherPassword };
    const wrong = await change(mine, { ...body, currentPassword: 'wrong' });
    expect(statusAndCode(wrong)).toEqual([401, 'invalid_credentials']);
    expect(wrong.headers['www-authenticate']).toBe('Bearer realm="svc", error="invalid_credentials"');
    expect(statusAndCode(await change(mine, { newPassword: otherPassword }))).toEqual([401, 'invalid_credentials']);
    clock.advance(60_000);
    expect(statusAndCode(await change(mine, { ...body, newPassword: 'short' }))).toEqual([400, 'password_too_weak']);
    expect((await change(mine, body)).status).toBe(204);
    expect(await sessionsOf(mine)).toMatchObject([{ current: true }]);
    expect((await server.raw({ path: '/api/v1/account/sessions', headers: { cookie: other } })).status).toBe(401);
    clock.advance(60_000);
    expect((await signIn(owner, goodPassword)).status).toBe(401);
    expect((await signIn(owner, otherPassword)).status).toBe(200);
  });

  test('may omit it for ten minutes after a sign-in link', async () => {
    const [fresh, old] = [await linkCookie(), await linkCookie()];
    clock.advance(10 * 60_000 - 1);
    expect((await change(fresh, { newPassword: goodPassword })).status).toBe(204);
    const late = await linkCookie();
    clock.advance(10 * 60_000);
    expect(statusAndCode(await change(late, { newPassword: goodPassword }))).toEqual([401, 'invalid_credentials']);
    expect((await change(old, { newPassword: goodPassword })).status).toBe(401);
  });
});

describe('sessions', () => {
  test('are listed, seen at most once a minute, and ended one by one or all at once', async () => {
    await setUpOwner(server);
    const [one, two] = [pairOf(await signIn(owner, goodPassword)), pairOf(await signIn(owner, goodPassword))];
    const current = async (cookie: string) => (await sessionsOf(cookie)).find((session) => session.current);
    const seen = (await current(one))?.lastSeenAt;
    clock.advance(59_999);
    expect((await current(one))?.lastSeenAt).toBe(seen);
    clock.advance(1);
    expect((await current(one))?.lastSeenAt).toBe(new Date(clock.now()).toISOString());
    const id = (await current(two))?.id ?? '';
    const end = (path: string) =>
      server.raw({
        method: 'DELETE',
        path: `/api/v1/account/sessions${path}`,
        headers: { cookie: one, origin: server.url },
      });
    expect((await end(`/${id}`)).status).toBe(204);
    expect(statusAndCode(await end(`/${id}`))).toEqual([404, 'not_found']);
    expect((await server.raw({ path: '/api/v1/account/sessions', headers: { cookie: two } })).status).toBe(401);
    const all = await end('');
    expect([all.status, cookieOf(all)]).toEqual([204, expect.stringContaining('Max-Age=0')]);
    const owners = server.raw({ path: '/api/v1/workspaces', headers: { authorization: `Bearer ${server.token}` } });
    expect((await owners).status).toBe(401);
  });

  test('of another account are not found', async () => {
    const { api } = await server.join('viewer');
    const [mine] = (await server.api.listSessions({})).body.sessions;
    await expect(api.endOneSession({ params: { sessionId: mine?.id ?? '' } })).rejects.toMatchObject({ status: 404 });
    expect((await api.listConsents({})).body).toEqual({ consents: [] });
    await expect(api.withdrawConsent({ params: { consentId: 'x' } })).rejects.toMatchObject({ status: 404 });
  });
});

test('disabled password routes return 501, and an unknown e-mail cannot be invited', async () => {
  await server.close();
  server = await startTestServer({ env: { GROUNDCTL_PASSWORD_SIGN_IN: '0' } });
  expect((await server.api.listProviders({})).body).toEqual({
    providers: [{ id: 'password', enabled: false, label: 'E-mail and password', protocol: 'password' }],
    password: false,
    setupRequired: false,
    passwordReset: false,
  });
  expect((await server.api.getDiscovery({})).body.auth.password).toBe(false);
  expect(server.setupCode()).toBeUndefined();
  expect(statusAndCode(await signIn(owner, goodPassword))).toEqual([501, 'capability_not_available']);
  expect(statusAndCode(await post('/auth/invitations/accept', {}))).toEqual([501, 'capability_not_available']);
  expect(statusAndCode(await post('/account/password', {}))).toEqual([501, 'capability_not_available']);
  const setup = { code: 'x', email: owner, displayName: 'A', password: goodPassword };
  expect(statusAndCode(await post('/auth/setup', setup))).toEqual([404, 'not_found']);
  const params = { workspaceId: server.workspaceId };
  await expect(server.api.addMember({ params, body: { email: 'n@x.y' } })).rejects.toMatchObject({ status: 404 });
});

test('too many passwords at once are refused with the time to wait, and the others are answered', async () => {
  const { invitation } = (
    await server.api.addMember({ params: { workspaceId: server.workspaceId }, body: { email: 'g@x.y' } })
  ).body;
  expect(tokenOf(invitation)).toMatch(/^svcinv_/);
  const from = (at: number) => signIn(`p${at}@x.y`, 'no');
  const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => from(at)));
  expect(answers.every(({ status }) => status === 401)).toBe(true);
});
