import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { heldClock, type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';

const clock = heldClock();
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ clock });
});
afterAll(() => server.close());

const dayMs = 24 * 3_600_000;
const statusAndCode = ({ status, json }: RawAnswer) => [status, (json as { error?: { code: string } }).error?.code];
type CreatedSource = { source: { id: string }; hookSecret?: string };
const create = (key: string, more: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  server.request(
    'POST',
    '/api/v1/sources',
    { workspaceId: server.workspaceId, name: 'n', url: 'https://example.com/a', ...more },
    { 'idempotency-key': key, ...headers },
  );
const countSources = () =>
  server.ledger((db) => (db.sqlite.prepare('SELECT count(*) AS n FROM sources').get() as { n: number }).n);
const countAuditEvents = () =>
  server.ledger((db) => (db.sqlite.prepare('SELECT count(*) AS n FROM audit_events').get() as { n: number }).n);

describe('the same key', () => {
  test('with the same request gives the same answer with 200, and nothing happens again', async () => {
    const first = await create('same');
    const before = [countSources(), countAuditEvents()];
    const second = await create('same', {}, { 'content-type': 'application/json; charset=utf-8' });
    expect([first.status, second.status]).toEqual([201, 200]);
    expect((second.json as CreatedSource).source).toEqual((first.json as CreatedSource).source);
    expect([countSources(), countAuditEvents()]).toEqual(before);
  });

  test('never returns a one-time member again, and no receipt holds one', async () => {
    const first = (await create('secret')).json as CreatedSource;
    expect(first.hookSecret).toMatch(/^svchook_[\w-]{43}$/);
    expect((await create('secret')).json).toEqual({ source: first.source });
    const rows = server.ledger((db) => db.sqlite.prepare('SELECT body FROM receipts').all() as { body: Buffer }[]);
    for (const { body } of rows) expect(body?.toString() ?? '').not.toContain('svchook_');
  });

  test('with another body, path or actor is not the same request', async () => {
    const { source } = (await create('differs')).json as CreatedSource;
    expect(statusAndCode(await create('differs', { name: 'other' }))).toEqual([409, 'idempotency_conflict']);
    const patch = (id: string, name: string) =>
      server.request('PATCH', `/api/v1/sources/${id}`, { name }, { 'idempotency-key': 'differs' });
    expect((await patch(source.id, 'renamed')).status).toBe(200);
    expect(statusAndCode(await patch(source.id, 'again'))).toEqual([409, 'idempotency_conflict']);
    const other = ((await create('another')).json as CreatedSource).source;
    expect(statusAndCode(await patch(other.id, 'renamed'))).toEqual([409, 'idempotency_conflict']);
    const admin = await server.join('admin');
    const body = { workspaceId: server.workspaceId, name: 'n', url: 'https://example.com/a' };
    expect((await admin.api.createSource({ body }, { 'idempotency-key': 'differs' })).status).toBe(201);
  });

  test('stands for the normalized request: order of members, spaces around the key and an absent optional do not count', async () => {
    const { source } = (await create('normal', { autoSync: false })).json as CreatedSource;
    const answer = await server.raw({
      method: 'POST',
      path: '/api/v1/sources',
      headers: { authorization: `Bearer ${server.token}`, 'idempotency-key': '  normal ' },
      body: `{ "autoSync": false, "url": "https://example.com/a", "name": "n", "workspaceId": "${server.workspaceId}" }`,
    });
    expect([answer.status, (answer.json as CreatedSource).source.id]).toEqual([200, source.id]);
  });

  test('answers 204 again where the first answer was 204', async () => {
    const { source } = (await create('gone')).json as CreatedSource;
    const end = () =>
      server.request('DELETE', `/api/v1/sources/${source.id}`, undefined, { 'idempotency-key': 'gone' });
    expect((await end()).status).toBe(204);
    // The record is deleted, and the gate reports that before any receipt is read.
    expect((await end()).status).toBe(404);
  });

  test('sent fifty times at once has one effect and equal answers', async () => {
    const before = countSources();
    const answers = await Promise.all(Array.from({ length: 50 }, () => create('rush')));
    expect(countSources()).toBe(before + 1);
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(49).fill(200), 201]);
    expect(new Set(answers.map(({ json }) => JSON.stringify((json as CreatedSource).source))).size).toBe(1);
  });

  test('can be reused when the first request was refused', async () => {
    expect(statusAndCode(await create('refused', { url: 'ssh://example.com/a' }))).toEqual([400, 'invalid_argument']);
    expect((await create('refused')).status).toBe(201);
  });

  test('is refused for a caller who lost the membership', async () => {
    const admin = await server.join('admin');
    const body = { workspaceId: server.workspaceId, name: 'n', url: 'https://example.com/a' };
    const again = () => admin.api.createSource({ body }, { 'idempotency-key': 'lost' });
    await again();
    server.ledger((db) => db.sqlite.prepare('DELETE FROM members WHERE account_id = ?').run(admin.subject));
    await expect(again()).rejects.toMatchObject({ status: 403, code: 'forbidden' });
  });

  test('is good for a day, to the millisecond, and is then a fresh one', async () => {
    const first = (await create('day')).json as CreatedSource;
    clock.advance(dayMs - 1);
    expect(((await create('day')).json as CreatedSource).source.id).toBe(first.source.id);
    clock.advance(1);
    const next = await create('day');
    expect([next.status, (next.json as CreatedSource).source.id === first.source.id]).toEqual([201, false]);
    const old = server.ledger((db) =>
      db.sqlite.prepare('SELECT count(*) AS n FROM receipts WHERE expires_at <= ?').get(clock.now()),
    );
    expect(old).toEqual({ n: 0 });
  });
});

describe('a key', () => {
  test('is 1 to 256 bytes without control characters', async () => {
    expect((await create('k'.repeat(256))).status).toBe(201);
    for (const key of ['', '   ', 'k'.repeat(257), 'a\tb', 'é'.repeat(129)])
      expect([key, ...statusAndCode(await create(Buffer.from(key).toString('latin1')))]).toEqual([
        key,
        400,
        'invalid_request',
      ]);
  });

  test('is required where a coordinator starts', async () => {
    const path = `/api/v1/workspaces/${server.workspaceId}/install-plans`;
    const body = {
      source: { name: 'n', url: 'https://example.com/a', ref: 'HEAD', path: '.' },
      capsule: { name: 'c', environment: 'e' },
    };
    expect(statusAndCode(await server.request('POST', path, body))).toEqual([400, 'idempotency_key_required']);
    expect(statusAndCode(await server.request('POST', path, body, { 'idempotency-key': ' ' }))).toEqual([
      400,
      'invalid_request',
    ]);
  });

  test('has no effect on a read and on a sign-in', async () => {
    const headers = { 'idempotency-key': '' };
    expect((await server.request('GET', '/api/v1/workspaces', undefined, headers)).status).toBe(200);
    expect(statusAndCode(await server.request('POST', '/api/v1/auth/link', { token: 'x' }, headers))).toEqual([
      401,
      'invalid_credentials',
    ]);
  });
});
