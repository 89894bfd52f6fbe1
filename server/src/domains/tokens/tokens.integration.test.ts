import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { heldClock, type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';
import { makeToken } from '../../../test/tokens.ts';

const clock = heldClock();
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ clock });
});
afterAll(() => server.close());

const base = '/api/v1/account/tokens';
const statusAndCode = ({ status, json }: RawAnswer) => [status, (json as { error?: { code: string } }).error?.code];
const create = async (body: Record<string, unknown>, headers?: Record<string, string>) => {
  clock.advance(7_000);
  return server.request('POST', base, body, headers);
};
const get = (path: string, token: string) => server.raw({ path, headers: { authorization: `Bearer ${token}` } });
const soon = () => new Date(clock.now() + 60_000).toISOString();
const auditOf = (targetId: string) =>
  server.ledger(({ sqlite }) =>
    sqlite.prepare('SELECT action, actor_id AS actor FROM audit_events WHERE target_id = ? ORDER BY seq').all(targetId),
  );

test('the capabilities list tokens as supported', async () => {
  expect((await server.api.getCapabilities({})).body.authentication.pat).toBe(true);
});

describe('a token', () => {
  test('is shown once, and stored only as a hash', async () => {
    const answer = await create({ name: '  deploys ', scopes: ['read', 'write'], expires_at: soon() });
    const { token, token_record } = answer.json as { token: string; token_record: Record<string, string> };
    expect(answer.status).toBe(201);
    expect(token).toMatch(/^svcpat_[A-Za-z0-9_-]{43}$/);
    expect(token_record).toEqual({
      id: expect.stringMatching(/^pat_[0-9a-f]{32}$/),
      subject: server.subject,
      name: 'deploys',
      prefix: token.slice(0, 15),
      scopes: ['read', 'write'],
      created_at: expect.any(String),
      expires_at: expect.any(String),
    });
    const stored = server.ledger(({ sqlite }) => JSON.stringify(sqlite.prepare('SELECT * FROM access_tokens').all()));
    expect(stored).not.toContain(token.slice(15));
    expect(auditOf(token_record.id ?? '')).toEqual([{ action: 'pat.created', actor: server.subject }]);
  });

  test('is absent from the response to a repeated request; the record is present', async () => {
    const key = { 'idempotency-key': 'one' };
    const first = (await create({ name: 'n', scopes: ['read'] }, key)).json as { token_record: { id: string } };
    const again = await create({ name: 'n', scopes: ['read'] }, key);
    expect([again.status, again.json]).toEqual([200, { token_record: first.token_record }]);
    const path = `${base}/${first.token_record.id}/revoke`;
    const revoked = await server.request('POST', path, {}, { 'idempotency-key': 'two' });
    expect((await server.request('POST', path, {}, { 'idempotency-key': 'two' })).json).toEqual(revoked.json);
  });

  const { workspaceId: w } = { workspaceId: 'ws_000000000000000' };
  test.each([
    [{ name: ' ', scopes: ['read'] }, 400, 'invalid_request'],
    [{ name: 'x'.repeat(81), scopes: ['read'] }, 400, 'invalid_request'],
    [{ name: 'n', scopes: [] }, 400, 'invalid_request'],
    [{ name: 'n', scopes: ['read', 'read'] }, 400, 'invalid_request'],
    [{ name: 'n', scopes: ['everything'] }, 400, 'invalid_request'],
    [{ name: 'n', scopes: ['read'], more: 1 }, 400, 'invalid_request'],
    [{ name: 'n', scopes: ['read'], expires_at: '2029-12-31T23:59:59.999Z' }, 400, 'invalid_request'],
    [{ name: 'n', scopes: ['read'], expires_at: '2031-99-31T23:59:59.999Z' }, 400, 'invalid_request'],
    [{ name: 'n', scopes: ['read'], expires_at: 'tomorrow' }, 400, 'invalid_request'],
    [{ name: 'n', scopes: ['resources:read'] }, 400, 'invalid_request'],
    [{ name: 'n', scopes: ['ai.chat'] }, 400, 'invalid_request'],
    [{ name: 'n', scopes: ['admin'] }, 403, 'insufficient_scope'],
    [{ name: 'n', scopes: ['ai.chat'], workspace_id: w }, 403, 'insufficient_scope'],
    [{ name: 'n', scopes: ['read', 'ai.models.read'], workspace_id: w }, 403, 'insufficient_scope'],
    [{ name: 'n', scopes: ['read'], workspace_id: w }, 404, 'workspace_not_found'],
  ])('is not created from %j', async (body, status, code) => {
    const answer = await create(body);
    expect(statusAndCode(answer)).toEqual([status, code]);
    if (code === 'insufficient_scope')
      expect(answer.headers['www-authenticate']).toMatch(
        /error="insufficient_scope", scope="(admin|ai\.chat|ai\.models\.read)"$/,
      );
  });

  test('is not created for a Workspace that is not the caller’s', async () => {
    const outsider = await server.join(undefined);
    const body = { name: 'n', scopes: ['read'], workspace_id: server.workspaceId };
    await expect(outsider.api.createToken({ body })).rejects.toMatchObject({ status: 403, code: 'forbidden' });
  });

  test('of the operator may have admin, and is created for existing accounts', async () => {
    const operator = server.as(server.operatorToken);
    const body = { subject: server.subject, name: 'ci', scopes: ['admin'] };
    const { token_record } = (await operator.issueTokenAsOperator({ body })).body;
    expect(auditOf(token_record.id)).toEqual([{ action: 'pat.created', actor: 'operator' }]);
    const unknownSubject = { ...body, subject: 'sub_01JZZZZZZZZZZZZZZZZZZZZZZZ' };
    await expect(operator.issueTokenAsOperator({ body: unknownSubject })).rejects.toMatchObject({ code: 'not_found' });
    const hosted = { ...body, scopes: ['ai.chat'], workspace_id: server.workspaceId };
    await expect(operator.issueTokenAsOperator({ body: hosted })).rejects.toMatchObject({ code: 'insufficient_scope' });
  });
});

describe('the end of a token', () => {
  test('by revocation is at once, and repeats its answer', async () => {
    const { token, id } = await makeToken(server, { scopes: ['read'] });
    const path = `/api/v1/workspaces/${server.workspaceId}`;
    expect((await get(path, token)).status).toBe(200);
    const first = await server.request('POST', `${base}/${id}/revoke`, {});
    expect(first.json).toMatchObject({ token: { id, revoked_at: expect.any(String) } });
    clock.advance(1_000);
    expect((await server.request('POST', `${base}/${id}/revoke`, {})).json).toEqual(first.json);
    expect(auditOf(id).map((row) => (row as { action: string }).action)).toEqual(['pat.created', 'pat.revoked']);
    expect(statusAndCode(await get(path, token))).toEqual([401, 'invalid_token']);
    expect(statusAndCode(await get(`${base}/current`, token))).toEqual([401, 'invalid_token']);
  });

  test('closes the streams it had opened', async () => {
    const { token, id } = await makeToken(server, { scopes: ['read'] });
    const authorization = `Bearer ${token}`;
    const stream = await server.events(`/api/v1/workspaces/${server.workspaceId}/events`, { authorization });
    const heartbeats = (events: readonly { event: string }[]) => events.filter(({ event }) => event === 'hb').length;
    const before = heartbeats(await stream.until('hb'));
    await server.api.revokeToken({ params: { tokenId: id } });
    // The stream ends now, not when its next heartbeat finds the token revoked.
    expect(heartbeats(await stream.rest())).toBe(before);
  });

  test('cannot be requested by another account', async () => {
    const { id } = await makeToken(server, { scopes: ['read'] });
    const other = await server.join('owner');
    for (const tokenId of [id, 'pat_nothing'])
      await expect(other.api.revokeToken({ params: { tokenId } })).rejects.toMatchObject({ code: 'token_not_found' });
  });

  test('by expiry is automatic', async () => {
    const { token } = await makeToken(server, { scopes: ['read'], expires_at: soon() });
    expect((await get(`${base}/current`, token)).status).toBe(200);
    clock.advance(60_000);
    expect(statusAndCode(await get(`${base}/current`, token))).toEqual([401, 'invalid_token']);
  });

  test('of a bound token follows the membership', async () => {
    const member = await server.join('member');
    const input = { subject: member.subject, scopes: ['read'], workspace_id: server.workspaceId };
    const { token } = await makeToken(server, input);
    const mine = `/api/v1/workspaces/${server.workspaceId}`;
    expect((await get(mine, token)).status).toBe(200);
    server.ledger((db) =>
      db.sqlite.prepare("UPDATE members SET status = 'suspended' WHERE account_id = ?").run(member.subject),
    );
    for (const path of [mine, `${base}/current`, '/api/v1/workspaces'])
      expect([path, ...statusAndCode(await get(path, token))]).toEqual([path, 403, 'workspace_membership_inactive']);
  });
});

describe('the lists', () => {
  test('are newest first, fifty at a time', async () => {
    const owner = await server.join(undefined);
    const createdIds: string[] = [];
    for (let at = 0; at < 52; at++) {
      createdIds.push((await makeToken(server, { subject: owner.subject, scopes: ['read'] })).id);
      clock.advance(at % 2);
    }
    const first = (await owner.api.listTokens({})).body;
    expect(first.tokens).toHaveLength(50);
    const rest = (await owner.api.listTokens({ query: { cursor: first.next_cursor ?? '', limit: '500' } })).body;
    expect(rest.next_cursor).toBeNull();
    const ids = [...first.tokens, ...rest.tokens].map(({ id }) => id);
    expect(new Set(ids)).toEqual(new Set(createdIds));
    const times = [...first.tokens, ...rest.tokens].map(({ created_at }) => created_at);
    expect(times).toEqual([...times].sort().reverse());
  });

  test('the catalog lists the grantable scopes in both languages', async () => {
    const { scopes, kind } = (await server.api.listTokenScopes({})).body;
    expect(kind).toBe('svc.account-pat-scope-catalog@v1');
    expect(scopes.map(({ scope, workspaceBinding }) => [scope, workspaceBinding])).toEqual([
      ['read', 'optional'],
      ['write', 'optional'],
      ['resources:read', 'required'],
    ]);
    for (const { label, description } of scopes)
      for (const text of [label.ja, label.en, description.ja, description.en]) expect(text).not.toBe('');
  });
});

describe('the inventory', () => {
  const requestInventory = (token: string, query = '') => get(`${base}/inventory.v1${query}`, token);
  type Page = { tokens: { token_id: string }[]; total: number; next_cursor: string | null };

  test('is oldest first, counts all, and continues from a token that still exists', async () => {
    const owner = await server.join(undefined);
    const ids: string[] = [];
    for (let at = 0; at < 5; at++) {
      ids.push((await makeToken(server, { subject: owner.subject, scopes: ['read'] })).id);
      clock.advance(1);
    }
    await owner.api.revokeToken({ params: { tokenId: ids[1] ?? '' } });
    const first = (await requestInventory(owner.token, '?limit=2')).json as Page;
    expect(first).toMatchObject({ total: 5, returned: 2, limit: 2, truncated: true });
    expect(first.tokens[0]).toEqual({
      token_id: ids[0],
      subject: owner.subject,
      name: expect.any(String),
      prefix: expect.any(String),
      scopes: ['read'],
      workspace_id: null,
      created_at: expect.any(String),
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
    });
    const second = (await requestInventory(owner.token, `?limit=100&cursor=${first.next_cursor}`)).json as Page;
    expect(second).toMatchObject({ total: 5, returned: 3, truncated: false, next_cursor: null });
    expect([...first.tokens, ...second.tokens].map(({ token_id }) => token_id)).toEqual(ids);
    server.ledger((db) => db.sqlite.prepare('DELETE FROM access_tokens WHERE id = ?').run(ids[1]));
    expect(statusAndCode(await requestInventory(owner.token, `?cursor=${first.next_cursor}`))).toEqual([
      400,
      'invalid_request',
    ]);
    // Nor is a cursor in the list of one account valid in that of another.
    expect(statusAndCode(await requestInventory(server.token, `?cursor=${first.next_cursor}`))).toEqual([
      400,
      'invalid_request',
    ]);
  });

  test('is empty for an account without tokens', async () => {
    const owner = await server.join(undefined);
    expect((await requestInventory(owner.token)).json).toEqual({
      kind: 'svc.account-pat-inventory@v1',
      tokens: [],
      total: 0,
      returned: 0,
      limit: 50,
      truncated: false,
      next_cursor: null,
    });
  });

  test.each(['?limit=101', '?limit=0', '?limit=+1', '?cursor=', '?cursor=x', '?q=1', '?limit=1&limit=2'])(
    'refuses %s',
    async (query) => {
      expect(statusAndCode(await requestInventory(server.token, query))).toEqual([400, 'invalid_request']);
    },
  );
});

describe('the authority of the presented token', () => {
  const current = (headers: Record<string, string>, path = `${base}/current`) => server.raw({ path, headers });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  test('is returned for a generic and a bound token, and records no use', async () => {
    const generic = await makeToken(server, { scopes: ['read'] });
    const bound = await makeToken(server, { scopes: ['write'], workspace_id: server.workspaceId, expires_at: soon() });
    expect((await current(bearer(generic.token))).json).toEqual({
      kind: 'svc.account-pat-authority@v1',
      token_id: generic.id,
      subject: server.subject,
      scopes: ['read'],
      workspace_id: null,
      expires_at: null,
      workspace_role: null,
    });
    const before = server.ledger(({ sqlite }) => sqlite.pragma('data_version', { simple: true }));
    expect((await current(bearer(bound.token))).json).toMatchObject({
      workspace_id: server.workspaceId,
      workspace_role: 'owner',
      expires_at: expect.any(String),
    });
    expect(server.ledger(({ sqlite }) => sqlite.pragma('data_version', { simple: true }))).toBe(before);
  });

  test('depends only on the bearer', async () => {
    const { token } = await makeToken(server, { scopes: ['read'] });
    const elsewhere = [
      await current({}),
      await current({ 'x-svc-account-session': server.token }),
      await current({ cookie: `svc_session=${server.token}` }),
      await current({}, `${base}/current?access_token=${token}`),
      await current(bearer(server.token)),
      await current(bearer(server.operatorToken)),
      await current(bearer(`svcpat_${'A'.repeat(43)}`)),
      await current({ authorization: token }),
    ];
    for (const answer of elsewhere) expect(statusAndCode(answer)).toEqual([401, 'invalid_token']);
    const among = { ...bearer(token), 'x-svc-account-session': 'x', cookie: 'svc_session=x' };
    expect((await current(among, `${base}/current?limit=0&limit=1`)).status).toBe(200);
  });

  test('is refused when two stores know the bearer', async () => {
    const { token, id } = await makeToken(server, { scopes: ['read'] });
    server.ledger((db) =>
      db.sqlite
        .prepare(
          `INSERT INTO sessions (id, token_hash, subject, created_at, expires_at)
           SELECT 'ses_twin', token_hash, subject, created_at, created_at + 100000000
           FROM access_tokens WHERE id = ?`,
        )
        .run(id),
    );
    expect(statusAndCode(await current(bearer(token)))).toEqual([401, 'invalid_token']);
    expect(statusAndCode(await get('/api/v1/workspaces', token))).toEqual([401, 'invalid_token']);
  });

  test('is unavailable while memberships cannot be read', async () => {
    const { token } = await makeToken(server, { scopes: ['read'], workspace_id: server.workspaceId });
    const body = { name: 'n', scopes: ['read'], workspace_id: server.workspaceId };
    const rename = (from: string, to: string) =>
      server.ledger((db) => db.sqlite.exec(`PRAGMA legacy_alter_table = ON; ALTER TABLE ${from} RENAME TO ${to}`));
    rename('members', 'members_away');
    const verified = await current(bearer(token));
    const response = await create(body);
    rename('members_away', 'members');
    expect(statusAndCode(verified)).toEqual([503, 'verification_unavailable']);
    expect([...statusAndCode(response), response.headers['retry-after']]).toEqual([
      503,
      'workspace_authority_unavailable',
      '1',
    ]);
  });
});

describe('its use', () => {
  const usedAt = (id: string) =>
    server.ledger(({ sqlite }) =>
      sqlite.prepare('SELECT last_used_at FROM access_tokens WHERE id = ?').pluck().get(id),
    );

  test('is recorded at most once a minute, and never by reading its authority', async () => {
    const { token, id } = await makeToken(server, { scopes: ['read'] });
    const useToken = () => get('/api/v1/workspaces', token);
    await get(`${base}/current`, token);
    expect(usedAt(id)).toBeNull();
    await useToken();
    const first = clock.now();
    expect(usedAt(id)).toBe(first);
    clock.advance(59_999);
    await useToken();
    expect(usedAt(id)).toBe(first);
    clock.advance(1);
    await useToken();
    expect(usedAt(id)).toBe(clock.now());
  });
});

test('no response of these routes may be cached, including errors', async () => {
  const { token } = await makeToken(server, { scopes: ['read'] });
  const cases: [string, string, string, number][] = [
    ['GET', base, server.token, 200],
    ['GET', `${base}/scopes`, server.token, 200],
    ['GET', base.replace('account', '%61ccount'), server.token, 200],
    ['GET', base, token, 401],
    ['GET', `${base}?limit=0`, server.token, 400],
    ['DELETE', base, server.token, 405],
    ['GET', `${base}/nothing/at/all`, server.token, 404],
    ['POST', `${base}/pat_x/revoke`, server.token, 404],
    ['GET', `${base}/current`, 'x', 401],
  ];
  for (const [method, path, as, status] of cases) {
    const answer = await server.raw({ method, path, headers: { authorization: `Bearer ${as}` } });
    expect([path, answer.status, answer.headers.pragma, answer.headers['cache-control']]).toEqual([
      path,
      status,
      'no-cache',
      'no-store',
    ]);
  }
  const elsewhere = await server.request('GET', '/api/v1/workspaces');
  expect(elsewhere.headers.pragma).toBeUndefined();
});
