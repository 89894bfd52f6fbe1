import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formHostPath } from '#shared/vendor';
import { callsOf, changing, creating, type FormHostFixture, startFormHost, statusOf } from '../../../test/form-host.ts';
import { formPackage, identityOf } from '../../../test/form-package.ts';
import { callRoute, errorOf, exactRoutes, refusalOf, writeRoutes } from '../../../test/form-rules.ts';
import { heldClock, type RawAnswer } from '../../../test/harness.ts';
import { signInAtApp, signInCookie } from '../../../test/issuer/app.ts';
import { issuerClients } from '../../../test/issuer/clients.ts';
import { addWorkspace } from '../../../test/second-workspace.ts';
import { makeToken } from '../../../test/tokens.ts';

const clock = heldClock(Date.now());
const usual = identityOf(formPackage());
let f: FormHostFixture;
beforeAll(async () => {
  f = await startFormHost({ clock });
  fs.writeFileSync(path.join(f.dataDir, 'oidc-clients.json'), JSON.stringify(issuerClients));
  await f.server.restart();
  await f.apply({ name: 'present' });
});
afterAll(() => f.server.close());

const as = (token: string): FormHostFixture => ({ ...f, ...callsOf(f.server, usual, () => token) });
/** Sends other credentials than a bearer. */
const withHeaders = (headers: Record<string, string>): FormHostFixture => ({
  ...f,
  send: (method, address, { body, headers: more = {} } = {}) =>
    f.server.raw({
      method,
      path: address,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...more, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
});
const patOf = async (scopes: string[], workspace_id?: string) =>
  (await makeToken(f.server, { scopes, ...(workspace_id !== undefined && { workspace_id }) })).token;
const headersOf = (route: string) =>
  route === 'preview' || route === 'put' || route === 'import' ? creating() : changing(1);
const request = (who: FormHostFixture, route: string, space?: string) =>
  callRoute(route, who, { name: 'present', headers: headersOf(route), ...(space !== undefined && { space }) });
const lists = ['/forms', '/resources'].map((list) => `${formHostPath}${list}`);
const list = (who: FormHostFixture, address: string, space = f.server.workspaceId) =>
  who.send('GET', `${address}?space=${space}`);
/** Every route of both APIs that a caller could try. */
async function everyRoute(who: FormHostFixture, space?: string): Promise<[string, RawAnswer][]> {
  const spaceOf = `?space=${space ?? f.server.workspaceId}`;
  const body = { kind: 'Bucket', metadata: { name: 'present' }, spec: { size: 1 } };
  const answers: [string, Promise<RawAnswer>][] = [
    ...exactRoutes.map((route): [string, Promise<RawAnswer>] => [route, request(who, route, space)]),
    ...lists.map((address): [string, Promise<RawAnswer>] => [address, list(who, address, space)]),
    ['/v1 list', who.send('GET', `/v1/resources${spaceOf}`)],
    ['/v1 read', who.send('GET', `/v1/resources/Bucket/present${spaceOf}`)],
    ['/v1 preview', who.send('POST', `/v1/resources/preview${spaceOf}`, { body })],
    ['/v1 put', who.send('PUT', `/v1/resources/Bucket/present${spaceOf}`, { body })],
    [
      '/v1 import',
      who.send('POST', `/v1/resources/Bucket/present/import${spaceOf}`, { body: { ...body, nativeId: 'x' } }),
    ],
    ['/v1 observe', who.send('POST', `/v1/resources/Bucket/present/observe${spaceOf}`)],
    ['/v1 refresh', who.send('POST', `/v1/resources/Bucket/present/refresh${spaceOf}`)],
    ['/v1 delete', who.send('DELETE', `/v1/resources/Bucket/present${spaceOf}`)],
  ];
  return Promise.all(answers.map(async ([name, answer]): Promise<[string, RawAnswer]> => [name, await answer]));
}
async function expectAll(who: FormHostFixture, refusal: unknown[], space?: string): Promise<void> {
  const answers = await everyRoute(who, space);
  expect(answers.map(([name, answer]) => [name, ...refusalOf(answer)])).toEqual(
    answers.map(([name]) => [name, ...refusal]),
  );
}

describe('every route answers 401 to', () => {
  const unauthenticated = [401, 'unauthenticated', undefined, false];
  it('no credential', () => expectAll(withHeaders({}), unauthenticated));
  it('a session in the cookie alone, also from its own page', async () => {
    const cookie = await signInCookie(f.server);
    await expectAll(withHeaders({ cookie }), unauthenticated);
    await expectAll(withHeaders({ cookie, origin: f.server.url, 'sec-fetch-site': 'same-origin' }), unauthenticated);
  });
  it('a session in the header alone', () =>
    expectAll(withHeaders({ 'x-svc-account-session': f.server.token }), unauthenticated));
  it('the token of the operator', () => expectAll(as(f.server.operatorToken), unauthenticated));
  it('a bearer of no known form', () => expectAll(withHeaders({ authorization: 'Basic YTpi' }), unauthenticated));
  it('an expired token', async () => {
    const expires_at = new Date(clock.now() + 60_000).toISOString();
    const who = as((await makeToken(f.server, { scopes: ['read', 'write'], expires_at })).token);
    expect((await request(who, 'read')).status).toBe(200);
    clock.advance(61_000);
    await expectAll(who, unauthenticated);
  });
  it('an expired session', async () => {
    const { token, subject } = await f.server.join('owner');
    f.server.ledger(({ sqlite }) =>
      sqlite.prepare('UPDATE sessions SET expires_at = 1 WHERE subject = ?').run(subject),
    );
    await expectAll(as(token), unauthenticated);
  });
  it('with a challenge that names the error only when a bearer was sent', async () => {
    const [none, wrong] = [await request(withHeaders({}), 'read'), await request(as('wrong'), 'read')];
    expect([none.headers['www-authenticate'], wrong.headers['www-authenticate']]).toEqual([
      'Bearer realm="svc"',
      'Bearer realm="svc", error="unauthenticated"',
    ]);
  });
});

it('a page of another origin is refused, whatever its credential', async () => {
  const foreign = { authorization: `Bearer ${f.server.token}`, origin: 'https://evil.example' };
  await expectAll(withHeaders(foreign), [403, 'permission_denied', 'csrf_failed', false]);
});

describe('a token', () => {
  const isRead = (name: string) => ['read', 'events', '/v1 list', '/v1 read', ...lists].includes(name);
  it.each([
    ['resources:read', true],
    ['read', false],
  ])('with the scope %s reads and changes nothing', async (scope, isBound) => {
    const who = as(await patOf([scope], isBound ? f.server.workspaceId : undefined));
    for (const [name, answer] of await everyRoute(who)) {
      if (isRead(name)) expect([name, answer.status]).toEqual([name, 200]);
      else expect([name, ...refusalOf(answer)]).toEqual([name, 403, 'permission_denied', 'insufficient_scope', false]);
    }
  });
  it('with the scope write changes and does not read', async () => {
    const who = as(await patOf(['write']));
    expect((await who.look('present', 'observe', changing(1))).status).toBe(200);
    expect(refusalOf(await who.read('present'))).toEqual([403, 'permission_denied', 'insufficient_scope', false]);
  });
  it('of an app reads with capsules:read and changes with capsules:write, in its Workspace', async () => {
    const cookie = await signInCookie(f.server);
    const signIn = async (scope: string) => {
      const parameters = { workspace_id: f.server.workspaceId, scope };
      const { tokens } = await signInAtApp({ origin: f.server.url, clientId: 'notes', cookie, parameters });
      return as(tokens.access_token);
    };
    const reader = await signIn('openid capsules:read');
    for (const [name, answer] of await everyRoute(reader))
      expect([name, answer.status]).toEqual([name, isRead(name) ? 200 : 403]);
    const other = f.server.ledger((db) => addWorkspace(db, [f.server.subject]));
    expect(statusOf(await request(reader, 'read', other))).toEqual([403, 'permission_denied']);
  });
  it('that is bound to another Workspace is refused', async () => {
    const other = f.server.ledger((db) => addWorkspace(db, [f.server.subject]));
    const who = as(await patOf(['read', 'write'], other));
    await expectAll(who, [403, 'permission_denied', undefined, false]);
  });
});

describe.each(['viewer', 'member'] as const)('a %s', (role) => {
  it('reads, and may not change or preview', async () => {
    const who = as((await f.server.join(role)).token);
    for (const route of writeRoutes)
      expect([route, ...refusalOf(await request(who, route))]).toEqual([
        route,
        403,
        'permission_denied',
        'forbidden',
        false,
      ]);
    for (const route of ['read', 'events']) expect((await request(who, route)).status).toBe(200);
    const { forms } = (await list(who, `${formHostPath}/forms`)).json as {
      forms: { availableToPrincipal: boolean; availabilityReason?: string }[];
    };
    expect(
      forms.map(({ availableToPrincipal, availabilityReason }) => [availableToPrincipal, availabilityReason]),
    ).toEqual([[false, expect.stringMatching(/^[A-Z].*\.$/)]]);
  });
});

describe('a space', () => {
  it('that does not exist, is of others, or was left is answered alike', async () => {
    const outsider = await f.server.join(undefined);
    const foreign = f.server.ledger((db) => addWorkspace(db, [outsider.subject], 'Foreign', 'foreign-handle'));
    const { token, subject } = await f.server.join('owner');
    const leave = "UPDATE members SET status = 'suspended' WHERE account_id = ?";
    f.server.ledger(({ sqlite }) => sqlite.prepare(leave).run(subject));
    const bodies = new Set<string>();
    for (const [who, space] of [
      [f, foreign],
      [f, 'foreign-handle'],
      [f, 'ws_01ARZ3NDEKTSV4RRFFQ69G5FAV'],
      [f, 'no-such-handle'],
      [f, '../x'],
      [as(token), f.server.workspaceId],
    ] as const) {
      for (const [, answer] of await everyRoute(who, space)) {
        const { requestId: _, ...error } = (answer.json as { error: Record<string, unknown> }).error;
        bodies.add(JSON.stringify([answer.status, error, answer.headers['www-authenticate']]));
      }
    }
    expect([...bodies].map((text) => JSON.parse(text))).toEqual([
      [403, { code: 'permission_denied', message: expect.stringMatching(/\.$/), retryable: false }, null],
    ]);
  });

  it('is named by id or handle, and repeated as it was named', async () => {
    const { workspaces } = (await f.server.api.listWorkspaces({})).body;
    const handle = workspaces.find(({ id }) => id === f.server.workspaceId)?.handle ?? '';
    const read = await f.send('GET', f.at('present') + f.queryOf(usual, handle));
    expect(read.json).toMatchObject({ metadata: { name: 'present', space: handle } });
    const preview = await callRoute('preview', f, { name: 'present', space: handle, headers: changing(1) });
    expect(preview.json).toMatchObject({ resource: { metadata: { space: handle } } });
    const byId = await callRoute('preview', f, { name: 'present', headers: changing(1) });
    const reviewOf = ({ json }: RawAnswer) => (json as { review: object }).review;
    expect(reviewOf(preview)).toEqual(reviewOf(byId));
  });

  it('that is archived is read and not changed', async () => {
    await f.server.api.createWorkspace({ body: { handle: 'the-last-one' } });
    const params = { workspaceId: f.server.workspaceId };
    await f.server.api.updateWorkspace({ params, body: { archived: true } });
    for (const route of writeRoutes) {
      const answer = await request(f, route);
      expect([route, ...refusalOf(answer)]).toEqual([route, 403, 'policy_denied', 'failed_precondition', false]);
      expect(errorOf(answer).details).toEqual({ reason: 'workspace_archived' });
    }
    expect((await request(f, 'read')).status).toBe(200);
    expect((await list(f, `${formHostPath}/resources`)).status).toBe(200);
    await f.server.api.updateWorkspace({ params, body: { archived: false } });
    expect((await f.look('present', 'observe', changing(1))).status).toBe(200);
  });
});
