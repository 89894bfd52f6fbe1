import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
}, 60_000);
afterAll(() => server?.close());

const open = (search: string, headers: Record<string, string> = {}, method = 'GET'): Promise<RawAnswer> =>
  server.raw({ method, path: `/install${search}`, headers });
const git = 'git=https%3A%2F%2Fexample.com%2Fr';

describe('GET /install', () => {
  test('redirects a valid link to the review, without a session', async () => {
    const answer = await open('?name=My+service&git=https://EXAMPLE.com/r/&return_uri=notes://done&product=notes');
    expect([answer.status, answer.text]).toEqual([302, '']);
    expect(answer.headers).toMatchObject({
      location: `/new?${git}&name=My%20service&product=notes&return_uri=notes%3A%2F%2Fdone`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    const packed = await open(`?source=${encodeURIComponent('git::https://example.com/r//net?ref=v1')}`);
    expect(packed.headers.location).toBe(`/new?${git}&ref=v1&path=net`);
    const chooser = await open('?path=o.json&git=https://example.com/r&kind=capsule-source-options');
    expect(chooser.headers.location).toBe(`/new?kind=capsule-source-options&${git}&path=o.json`);
  });

  test('redirects to an empty review without a query', async () => {
    for (const search of ['', '?', '?&']) {
      const answer = await open(search);
      expect([answer.status, answer.headers.location]).toEqual([302, '/new']);
    }
  });

  test('answers a cross-site page, an expired session and HEAD alike', async () => {
    const away = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site', cookie: 'svc_session=x' };
    expect((await open(`?${git}`, away)).status).toBe(302);
    expect((await open(`?${git}`, { authorization: 'Bearer sess_dead' })).status).toBe(302);
    expect((await open(`?${git}`, {}, 'HEAD')).status).toBe(302);
    expect((await open(`?${git}`, {}, 'POST')).status).toBe(405);
    expect((await server.raw({ path: `/install?${git}`, headers: ['host', 'evil.example'] })).status).toBe(421);
  });

  test('refuses with the error envelope where JSON is requested, and names reason and field but no value', async () => {
    const answer = await open('?git=https://example.com/r&var.region=ghp_0123456789abcdef', {
      accept: 'application/json',
    });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({
      error: { code: 'install_link_invalid', details: { reason: 'variables_not_allowed', field: '/var.region' } },
    });
    expect(answer.text).not.toContain('ghp_');
    for (const [search, reason, field] of [
      ['?git=a&git=b', 'duplicate_field', '/git'],
      ['?git=https://example.com/r&x=1', 'unknown_field', '/x'],
      ['?git=https://example.com/r&ref=%zz', 'invalid_field', '/ref'],
      ['?product=notes', 'target_missing', '/git'],
      ['?git=https://example.com/r&source=x', 'target_ambiguous', '/source'],
      ['?git=https://example.com/r&product=x', 'return_pair_incomplete', '/return_uri'],
      ['?git=https://example.com/r&product=x&return_uri=javascript://x', 'return_uri_forbidden', '/return_uri'],
    ]) {
      const { status, json } = await open(search ?? '', { accept: 'application/json' });
      expect([search, status, json]).toEqual([
        search,
        400,
        expect.objectContaining({ error: expect.objectContaining({ details: { reason, field } }) }),
      ]);
    }
  });

  test('refuses with a page that runs nothing and repeats nothing, in the language of the browser', async () => {
    const hostile = '?git=https://example.com/r&%3Cscript%3Ealert(1)%3C/script%3E=1&name=%3Cb%3E';
    const page = await open(hostile, { accept: 'text/html,application/json;q=0.9,*/*;q=0.8' });
    expect(page.status).toBe(400);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; /);
    expect(page.text).not.toMatch(/script|alert|&lt;|<b>/);
    expect(page.text).toContain('<html lang="en">');
    const plain = await open('?git=https://example.com/r&x.y=1', { 'accept-language': 'fr, ja;q=0.9, en;q=0.8' });
    expect(plain.text).toContain('<html lang="ja">');
    expect(plain.text).toContain('<code>x.y</code>');
  });

  test('stores nothing', async () => {
    // Changes with every commit of another connection (SQLite, data_version).
    const version = () => server.ledger((db) => db.sqlite.pragma('data_version', { simple: true }));
    const before = version();
    await open(`?${git}&product=notes&return_uri=notes://done`);
    await open('?git=http://127.0.0.1/r');
    expect(version()).toBe(before);
  });
});
