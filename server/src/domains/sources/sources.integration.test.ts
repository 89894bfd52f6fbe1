import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { heldClock, type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const statusAndCode = ({ status, json }: RawAnswer) => {
  const { code, details } =
    (json as { error?: { code: string; details?: { reason?: string; field?: string } } }).error ?? {};
  return [status, code, details?.reason, details?.field];
};
const input = (more: Record<string, unknown> = {}) => ({
  workspaceId: server.workspaceId,
  name: 'Modules',
  url: 'https://example.com/modules.git',
  ...more,
});
const create = (more: Record<string, unknown> = {}) => server.request('POST', '/api/v1/sources', input(more));
const make = async (more: Record<string, unknown> = {}) => (await server.api.createSource({ body: input(more) })).body;
const patch = (id: string, body: unknown) => server.request('PATCH', `/api/v1/sources/${id}`, body);
const actionsOf = async () => {
  const { events } = (await server.api.listActivity({ params: { workspaceId: server.workspaceId } })).body;
  return events.map(({ action, targetId }) => `${action} ${targetId}`);
};

describe('a new Source', () => {
  test('has the defaults, a hook secret that is shown once, and a row in the history', async () => {
    const { source, hookSecret } = await make();
    expect(source).toEqual({
      id: expect.stringMatching(/^src_[0-9A-Z]{26}$/),
      workspaceId: server.workspaceId,
      name: 'Modules',
      url: 'https://example.com/modules.git',
      defaultRef: 'HEAD',
      defaultPath: '.',
      status: 'active',
      autoSync: false,
      codeHost: 'none',
      createdAt: source.updatedAt,
      updatedAt: expect.any(String),
    });
    expect(hookSecret).toMatch(/^svchook_[\w-]{43}$/);
    expect((await server.api.getSource({ params: { sourceId: source.id } })).body).toEqual({ source });
    expect((await actionsOf())[0]).toBe(`source.created ${source.id}`);
  });

  test('keeps its hook secret sealed', async () => {
    const { hookSecret = '' } = await make();
    const rows = server.ledger((db) => db.sqlite.prepare('SELECT hook_secret FROM sources').all());
    expect(Buffer.from(JSON.stringify(rows)).includes(hookSecret)).toBe(false);
  });

  test('has a URL in its canonical form', async () => {
    expect((await make({ url: 'HTTPS://Example.COM:443/a/../b/' })).source.url).toBe('https://example.com/b');
    expect((await make({ url: 'http://127.0.0.1:8080/a' })).source.url).toBe('http://127.0.0.1:8080/a');
    expect((await make({ url: 'file:///srv/git/a' })).source.url).toBe('file:///srv/git/a');
  });

  test('with a URL that breaks a rule is refused by its reason', async () => {
    const refused: [string, string][] = [
      ['ssh://git@example.com/a', 'git_ssh_not_supported'],
      ['git@example.com:a.git', 'git_ssh_not_supported'],
      ['git://example.com/a', 'git_scheme_not_supported'],
      ['ftp://example.com/a', 'git_scheme_not_supported'],
      ['javascript:alert(1)', 'git_scheme_not_supported'],
      ['https://user:pass@example.com/a', 'git_url_credentials'],
      ['https://user@example.com/a', 'git_url_credentials'],
      ['https://example.com/a?ref=x', 'git_url_not_plain'],
      ['https://example.com/a#x', 'git_url_not_plain'],
      [' https://example.com/a', 'git_url_not_plain'],
      ['https://example.com/a\n', 'git_url_not_plain'],
      ['example.com/a', 'git_url_not_plain'],
      ['/srv/git/a', 'git_url_not_plain'],
      ['http://example.com/a', 'git_http_not_allowed'],
      ['http://10.0.0.1/a', 'git_http_not_allowed'],
      ['https://169.254.169.254/a', 'git_host_not_allowed'],
      ['https://[fe80::1]/a', 'git_host_not_allowed'],
      ['https://0.0.0.0/a', 'git_host_not_allowed'],
      ['https://2852039166/a', 'git_host_not_allowed'],
      ['https://224.0.0.1/a', 'git_host_not_allowed'],
      ['https://metadata.google.internal/a', 'git_host_not_allowed'],
      ['file://host/a', 'git_file_not_allowed'],
      [`https://example.com/ghp_${'a1'.repeat(18)}/a`, 'secret_like_value'],
    ];
    for (const [url, reason] of refused)
      expect([url, ...statusAndCode(await create({ url }))]).toEqual([url, 400, 'invalid_argument', reason, '/url']);
  });

  test('with a ref or a path that Git would not take is refused', async () => {
    for (const defaultRef of ['', '-x', 'a..b', 'a b', 'a~1', 'refs/', '/a', 'a.lock', '@{u}', 'a\\b', 'a:b'])
      expect([defaultRef, ...statusAndCode(await create({ defaultRef }))]).toEqual([
        defaultRef,
        400,
        'invalid_argument',
        'ref_invalid',
        '/defaultRef',
      ]);
    for (const defaultPath of ['', '/a', 'a/', 'a//b', '..', 'a/../b', './a', 'a\\b', 'a\u0000b'])
      expect([defaultPath, ...statusAndCode(await create({ defaultPath }))]).toEqual([
        defaultPath,
        400,
        'invalid_argument',
        'path_invalid',
        '/defaultPath',
      ]);
    const lane = { defaultRef: 'feature/über', defaultPath: 'modules/net.work' };
    expect((await make(lane)).source).toMatchObject(lane);
  });
});

test('loopback and local Git can be disabled', async () => {
  const env = { GROUNDCTL_ALLOW_LOOPBACK_GIT: '0', GROUNDCTL_ALLOW_LOCAL_GIT: '0' };
  const strict = await startTestServer({ env });
  const request = (url: string) =>
    strict.request('POST', '/api/v1/sources', { workspaceId: strict.workspaceId, name: 'n', url });
  expect(statusAndCode(await request('http://127.0.0.1:1/a'))[2]).toBe('git_http_not_allowed');
  expect(statusAndCode(await request('https://localhost/a'))[2]).toBe('git_host_not_allowed');
  expect(statusAndCode(await request('https://127.1/a'))[2]).toBe('git_host_not_allowed');
  expect(statusAndCode(await request('file:///srv/git/a'))[2]).toBe('git_file_not_allowed');
  expect((await strict.api.getCapabilities({})).body.git).toEqual({
    https: true,
    loopbackHttp: false,
    file: false,
    ssh: false,
  });
  await strict.close();
});

describe('a change', () => {
  test('touches what it names and nothing else', async () => {
    const { source } = await make();
    // Disabled, so that no sync runs during the test.
    const settings = {
      name: 'Other',
      defaultRef: 'main',
      defaultPath: 'a',
      autoSync: true,
      codeHost: 'gitlab' as const,
    };
    const change = { ...settings, status: 'disabled' as const };
    const { body } = await server.api.updateSource({ params: { sourceId: source.id }, body: change });
    expect(body).toEqual({ source: { ...source, ...change, updatedAt: expect.any(String) } });
    expect((await actionsOf())[0]).toBe(`source.updated ${source.id}`);
  });

  test('gives a fresh hook secret only when asked', async () => {
    const { source, hookSecret } = await make();
    const { body } = await server.api.updateSource({
      params: { sourceId: source.id },
      body: { rotateHookSecret: true },
    });
    expect(body.hookSecret).toMatch(/^svchook_/);
    expect(body.hookSecret).not.toBe(hookSecret);
  });

  test('of nothing, of a wrong lane or of an immutable member is refused', async () => {
    const { source } = await make();
    expect(statusAndCode(await patch(source.id, {}))).toEqual([400, 'invalid_argument', 'empty_patch', undefined]);
    expect(statusAndCode(await patch(source.id, { defaultRef: 'a b' }))[2]).toBe('ref_invalid');
    expect(statusAndCode(await patch(source.id, { defaultPath: '../a' }))[2]).toBe('path_invalid');
    expect(statusAndCode(await patch(source.id, { url: 'https://example.com/b' }))[1]).toBe('invalid_request');
    expect(statusAndCode(await patch(source.id, { status: 'error' }))[1]).toBe('invalid_request');
    expect(statusAndCode(await patch(source.id, { rotateHookSecret: false }))[1]).toBe('invalid_request');
  });

  test('disables a Source, so that it is not synced, and enables it again', async () => {
    const { source } = await make();
    expect((await patch(source.id, { status: 'disabled' })).status).toBe(200);
    const sync = () => server.request('POST', `/api/v1/sources/${source.id}/sync`, {});
    expect(statusAndCode(await sync()).slice(0, 3)).toEqual([409, 'failed_precondition', 'source_disabled']);
    await patch(source.id, { status: 'active' });
    expect((await sync()).status).toBe(201);
  });
});

test('a Source that was never synced is deleted, its history is kept', async () => {
  const { source } = await make();
  const params = { sourceId: source.id };
  expect((await server.api.deleteSource({ params })).status).toBe(204);
  await expect(server.api.getSource({ params })).rejects.toMatchObject({ status: 404 });
  expect((await actionsOf())[0]).toBe(`source.deleted ${source.id}`);
});

test('nothing is written to an archived Workspace', async () => {
  const { source } = await make();
  const archive = (at: number | null) =>
    server.ledger((db) => db.sqlite.prepare('UPDATE workspaces SET archived_at = ?').run(at));
  archive(1);
  const answers = [
    await create(),
    await patch(source.id, { name: 'x' }),
    await server.request('POST', `/api/v1/sources/${source.id}/sync`, {}),
    await server.request('DELETE', `/api/v1/sources/${source.id}`),
    await server.request('POST', `/api/v1/sources/${source.id}/compatibility-check`, {}),
  ];
  archive(null);
  for (const answer of answers)
    expect(statusAndCode(answer).slice(0, 3)).toEqual([409, 'failed_precondition', 'workspace_archived']);
});

describe('the list of Sources', () => {
  let lister: TestServer;
  const clock = heldClock();
  const ids: string[] = [];
  const add = async (name: string, url: string) => {
    clock.advance(1_000);
    const body = { workspaceId: lister.workspaceId, name, url };
    ids.push((await lister.api.createSource({ body })).body.source.id);
  };
  beforeAll(async () => {
    lister = await startTestServer({ clock });
    await add('Network', 'https://example.com/net.git');
    await add('Shop 100%', 'https://example.com/shop.git');
    await add('Other net', 'https://git.example.org/x.git');
    await add('Copy', 'https://example.com/net.git');
    clock.advance(1_000);
    await lister.api.updateSource({ params: { sourceId: ids[1] ?? '' }, body: { autoSync: true } });
  });
  afterAll(() => lister.close());

  type Query = { q?: string; url?: string; order?: 'updated_desc'; limit?: string; cursor?: string };
  const page = async (query: Query) =>
    (await lister.api.listSources({ query: { workspaceId: lister.workspaceId, ...query } })).body;
  /** Positions of the found Sources in creation order. */
  const positions = async (query: Query) => (await page(query)).sources.map(({ id }) => ids.indexOf(id));

  test('goes by creation, or by the latest change', async () => {
    expect(await positions({})).toEqual([0, 1, 2, 3]);
    expect(await positions({ order: 'updated_desc' })).toEqual([1, 3, 2, 0]);
  });

  test('finds a part of the name or the address, and an address whole in any spelling', async () => {
    expect(await positions({ q: 'NET' })).toEqual([0, 2, 3]);
    expect(await positions({ q: '100%' })).toEqual([1]);
    expect(await positions({ q: '1_0' })).toEqual([]);
    expect(await positions({ q: (ids[2] ?? '').slice(4).toLowerCase() })).toEqual([2]);
    expect(await positions({ url: 'HTTPS://EXAMPLE.com:443/net.git/' })).toEqual([0, 3]);
    expect(await positions({ url: 'https://example.com/net.git', q: 'copy', order: 'updated_desc' })).toEqual([3]);
    expect(await positions({ url: 'no address' })).toEqual([]);
  });

  test('is paged in each order, and accepts a cursor only in its own order', async () => {
    for (const query of [{}, { order: 'updated_desc' }, { q: 'net' }, { q: 'e', order: 'updated_desc' }] as Query[]) {
      const whole = await positions(query);
      const read: number[] = [];
      for (let part = await page({ ...query, limit: '1' }); ; ) {
        read.push(...part.sources.map(({ id }) => ids.indexOf(id)));
        if (part.nextCursor === undefined) break;
        part = await page({ ...query, limit: '1', cursor: part.nextCursor });
      }
      expect(read).toEqual(whole);
    }
    const { nextCursor: cursor = '' } = await page({ q: 'net', limit: '1' });
    for (const other of [{}, { q: 'ne' }, { q: 'net', order: 'updated_desc' }, { q: 'net', url: 'x' }] as Query[])
      await expect(page({ ...other, cursor })).rejects.toMatchObject({ status: 400, code: 'invalid_request' });
  });

  test('refuses an empty search and an unknown order', async () => {
    const path = `/api/v1/sources?workspaceId=${lister.workspaceId}`;
    for (const [query, field] of [
      ['q=', '/q'],
      ['url=', '/url'],
      ['order=name', '/order'],
      [`q=${'x'.repeat(257)}`, '/q'],
    ])
      expect(statusAndCode(await lister.request('GET', `${path}&${query}`))).toEqual([
        400,
        'invalid_request',
        undefined,
        field,
      ]);
  });
});
