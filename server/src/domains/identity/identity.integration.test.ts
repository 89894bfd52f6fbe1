import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { filesHolding } from '../../../test/data-files.ts';
import { heldClock, type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';

let server: TestServer;
const clock = heldClock(Date.now());
beforeAll(async () => {
  server = await startTestServer({ clock });
});
afterAll(() => server.close());

const statusAndCode = ({ status, json }: RawAnswer) => [status, (json as { error?: { code: string } }).error?.code];
const json = { 'content-type': 'application/json' };
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const operator = () => server.as(server.operatorToken);
async function newLink(): Promise<string> {
  const { url } = (await operator().issueSignInLink({ body: {} })).body;
  expect(new URL(url).origin).toBe(server.url);
  expect(new URL(url).pathname).toBe('/sign-in');
  return new URL(url).hash.slice(1);
}
const signIn = (token: string) =>
  server.raw({ method: 'POST', path: '/api/v1/auth/link', headers: json, body: JSON.stringify({ token }) });
const cookieOf = (answer: RawAnswer) => answer.headers['set-cookie']?.[0] ?? '';
const pairOf = (answer: RawAnswer) => cookieOf(answer).split(';', 1)[0] ?? '';
const me = async (headers: Record<string, string>) =>
  (await server.raw({ path: '/api/v1/account/session/me', headers })).json;

test('a sign-in link opens a session of thirty days in an HttpOnly cookie', async () => {
  const answer = await signIn(await newLink());
  expect(answer.status).toBe(200);
  expect(cookieOf(answer)).toMatch(
    /^svc_session_[0-9a-f]{8}=sess_[\w-]{43}; HttpOnly; SameSite=Lax; Path=\/; Max-Age=2592000$/,
  );
  const { session } = answer.json as { session: { createdAt: string; expiresAt: string } };
  expect(Date.parse(session.expiresAt) - Date.parse(session.createdAt)).toBe(30 * dayMs);
  expect(answer.text).not.toContain('sess_');
  expect(Object.keys(session).sort()).toEqual(['createdAt', 'expiresAt', 'subject']);
  expect(await me({ cookie: pairOf(answer) })).toMatchObject(session);
});

test('a link is valid once, for five minutes, and only as it was created', async () => {
  const used = await newLink();
  expect((await signIn(used)).status).toBe(200);
  const old = await newLink();
  clock.advance(5 * minuteMs);
  for (const token of [used, old, `${old}x`, 'x', server.token, server.operatorToken]) {
    const answer = await signIn(token);
    expect([...statusAndCode(answer), cookieOf(answer)]).toEqual([401, 'invalid_credentials', '']);
  }
  const fresh = await newLink();
  clock.advance(5 * minuteMs - 1);
  const answers = await Promise.all(Array.from({ length: 10 }, () => signIn(fresh)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('without a session the answer is null, and with one it is that session', async () => {
  expect(await me({})).toEqual({ session: null });
  expect(await me({ authorization: `Bearer ${server.operatorToken}` })).toEqual({ session: null });
  expect(await me({ authorization: `Bearer ${server.token}` })).toMatchObject({
    subject: server.subject,
    primaryAccountId: server.subject,
    displayName: 'Local owner',
  });
});

test('signing out ends this session at once and clears its cookie, and no other', async () => {
  const [one, two] = [await signIn(await newLink()), await signIn(await newLink())];
  const end = (cookie: string, origin?: string) =>
    server.raw({
      method: 'DELETE',
      path: '/api/v1/account/session/me',
      headers: { cookie, ...(origin && { origin }) },
    });
  expect(statusAndCode(await end(pairOf(one)))).toEqual([403, 'csrf_failed']);
  const answer = await end(pairOf(one), server.url);
  expect([answer.status, cookieOf(answer)]).toEqual([204, expect.stringMatching(/^svc_session_\w+=; .*Max-Age=0$/)]);
  expect(await me({ cookie: pairOf(one) })).toEqual({ session: null });
  expect(await me({ cookie: pairOf(two) })).toMatchObject({ subject: server.subject });
  expect(statusAndCode(await end(pairOf(one), server.url))).toEqual([401, 'invalid_session']);
});

test('a session ends after thirty days, to the millisecond', async () => {
  const token = (await operator().issueSession({ body: {} })).body.session.token;
  const request = () => server.raw({ path: '/api/v1/workspaces', headers: { authorization: `Bearer ${token}` } });
  clock.advance(30 * dayMs - 1);
  expect((await request()).status).toBe(200);
  clock.advance(1);
  expect(statusAndCode(await request())).toEqual([401, 'invalid_token']);
  expect(await me({ authorization: `Bearer ${token}` })).toEqual({ session: null });
});

test('the operator issues sessions and links for accounts that exist', async () => {
  const subject = `sub_${'0'.repeat(26)}`;
  for (const call of [operator().issueSession, operator().issueSignInLink]) {
    await expect(call({ body: { subject } })).rejects.toMatchObject({ status: 404, code: 'not_found' });
    await expect(call({ body: { subject: 'x' } })).rejects.toMatchObject({ status: 400 });
    expect((await call({ body: { subject: server.subject } })).status).toBe(201);
  }
});

test('no token is in clear in any file of the data folder but the operator token in its own', async () => {
  const link = await newLink();
  const cookie = pairOf(await signIn(await newLink())).split('=')[1] ?? '';
  const session = (await operator().issueSession({ body: {} })).body.session.token;
  const holding = (secret: string) => filesHolding(server.dataDir, secret).map((file) => path.basename(file));
  for (const secret of [link, cookie, session]) expect(holding(secret)).toEqual([]);
  expect(holding(server.operatorToken)).toEqual(['operator-token']);
});

test('each of these changes leaves a row in the audit trail', () => {
  const rows = server.ledger((db) => db.sqlite.prepare('SELECT DISTINCT action FROM audit_events').all());
  const actions = (rows as { action: string }[]).map(({ action }) => action);
  expect(actions).toEqual(
    expect.arrayContaining([
      'account.created',
      'account.link_created',
      'account.signed_in',
      'account.signed_out',
      'account_session.issued',
    ]),
  );
});
