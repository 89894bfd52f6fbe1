import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GitHost, startGitHost } from '../../../test/git-fixture.ts';
import { heldClock, type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';
import { pickStable } from './stable-versions.ts';

const tagged = (...names: string[]) => names.map((name) => ({ name, commit: `commit of ${name}` }));
const picked = (...names: string[]): string => {
  try {
    return pickStable(tagged(...names)).tag;
  } catch (error) {
    return String((error as { details?: { reason?: string } }).details?.reason);
  }
};

describe('the highest stable version', () => {
  test.each([
    [['v1.0.0'], 'v1.0.0'],
    [['1.0.0'], '1.0.0'],
    [['0.0.0'], '0.0.0'],
    [['v1.9.0', 'v1.10.0', 'v1.2.30'], 'v1.10.0'],
    [['v2.0.0', 'v10.0.0', '9.9.9'], 'v10.0.0'],
    [['v1.0.9', '1.0.10'], '1.0.10'],
    [['v99999999999999999999.0.0', 'v99999999999999999998.0.1'], 'v99999999999999999999.0.0'],
    [['v9007199254740993.0.0', 'v9007199254740992.0.0'], 'v9007199254740993.0.0'],
    [['v1.0.0', 'v2.0.0-rc.1', 'v2.0.0+build', 'v2.0', 'v3', 'latest', 'release-4.0.0'], 'v1.0.0'],
    [['v1.0.0', 'v01.2.3', '1.02.3', 'V2.0.0', 'vv3.0.0', 'v4.0.0.0', 'v5.0.0 ', 'x/v6.0.0', 'v7.0.٣'], 'v1.0.0'],
  ])('of %j is %s', (names, tag) => {
    expect(picked(...names)).toBe(tag);
    expect(picked(...names.toReversed())).toBe(tag);
  });

  test('is missing when no tag has the form of one', () => {
    expect(picked()).toBe('stable_tag_missing');
    expect(picked('main', 'v1.0.0-beta', 'v1.0', 'v1.2.3+x')).toBe('stable_tag_missing');
  });

  test('is ambiguous when any version exists in both forms', () => {
    expect(picked('v1.0.0', '1.0.0')).toBe('stable_tag_ambiguous');
    expect(picked('v1.0.0', '1.0.0', 'v2.0.0')).toBe('stable_tag_ambiguous');
    expect(picked('v1.0.0', '1.0.1')).toBe('1.0.1');
  });
});

describe('POST …/source-ref-resolutions/stable-semver', () => {
  const clock = heldClock();
  let server: TestServer;
  let git: GitHost;
  beforeAll(async () => {
    [server, git] = await Promise.all([startTestServer({ clock }), startGitHost()]);
  }, 60_000);
  afterAll(() => Promise.all([server?.close(), git?.close()]));

  const address = (base = '/api/v1') => `${base}/workspaces/${server.workspaceId}/source-ref-resolutions/stable-semver`;
  const request = (url: unknown, more: object = {}) => server.request('POST', address(), { url, ...more });
  const asOperator = (url: unknown) =>
    server.request('POST', address('/internal/v1'), { url }, { authorization: `Bearer ${server.operatorToken}` });
  const statusAndCode = ({ status, json }: RawAnswer) => {
    const { code, details } = (json as { error?: { code: string; details?: Record<string, unknown> } }).error ?? {};
    return [status, code, details?.['reason'], details?.['diagnosticCode'] ?? details?.['field']];
  };

  test.each(['plain', 'old'])('answers the tag and its commit, annotated tags peeled: %s', async (mode) => {
    const repository = git.repository(`tags-${mode}`);
    repository.git('config', 'advice.nestedTag', 'false');
    const first = repository.commit({ 'main.tf': 'one' });
    repository.git('tag', 'v1.0.0');
    const second = repository.commit({ 'main.tf': 'two' });
    repository.git('tag', '-a', '-m', 'two', 'v2.0.0');
    // A tag of a tag also leads to the commit.
    repository.git('tag', '-a', '-m', 'three', 'v2.1.0', 'v2.0.0');
    repository.commit({ 'main.tf': 'three' });
    repository.git('tag', 'v3.0.0-rc1');
    const url = git.url(`tags-${mode}`, mode);
    const { status, json } = await request(url);
    expect([status, json]).toEqual([200, { tag: 'v2.1.0', commit: second }]);
    repository.git('tag', '-d', 'v2.0.0', 'v2.1.0');
    expect((await request(url)).json).toEqual({ tag: 'v1.0.0', commit: first });
    expect((await asOperator(url)).json).toEqual({ tag: 'v1.0.0', commit: first });
  });

  test('reads a repository on the disk too, where that is allowed', async () => {
    const repository = git.repository('local', { 'main.tf': 'one' });
    repository.git('tag', '-a', '-m', 'x', '1.2.3');
    const commit = repository.git('rev-parse', 'HEAD');
    expect((await request(`file://${repository.dir}`)).json).toEqual({ tag: '1.2.3', commit });
  });

  test('is refused when the tags do not determine one version', async () => {
    const none = git.repository('none', { 'main.tf': 'one' });
    none.git('tag', 'v1.0');
    const both = git.repository('both', { 'main.tf': 'one' });
    for (const tag of ['v1.0.0', '1.0.0', 'v2.0.0']) both.git('tag', tag);
    git.repository('empty');
    for (const answer of [request, asOperator]) {
      expect(statusAndCode(await answer(git.url('none')))).toEqual([
        409,
        'failed_precondition',
        'stable_tag_missing',
        undefined,
      ]);
      expect(statusAndCode(await answer(git.url('both')))).toEqual([
        409,
        'failed_precondition',
        'stable_tag_ambiguous',
        undefined,
      ]);
      expect(statusAndCode(await answer(git.url('empty')))[0]).toBe(409);
    }
  });

  test('is refused when the tags cannot be listed, with the cause', async () => {
    const failed = async (url: string) => statusAndCode(await request(url));
    const lead = [409, 'failed_precondition', 'ref_listing_failed'];
    git.repository('private', { 'main.tf': 'one' });
    expect(await failed(git.url('private', 'private'))).toEqual([...lead, 'source_auth_failed']);
    expect(await failed(git.url('private', 'html'))).toEqual([...lead, 'source_not_git']);
    expect(await failed('http://127.0.0.1:1/r')).toEqual([...lead, 'source_unreachable']);
  });

  test('is refused for its address, its shape and its caller', async () => {
    const bad = async (url: unknown) => statusAndCode(await request(url));
    expect(await bad('git@example.com:r')).toEqual([400, 'invalid_argument', 'git_ssh_not_supported', '/url']);
    expect(await bad('https://u@example.com/r')).toEqual([400, 'invalid_argument', 'git_url_credentials', '/url']);
    expect(await bad('https://169.254.169.254/r')).toEqual([400, 'invalid_argument', 'git_host_not_allowed', '/url']);
    expect(await bad('https://example.com/ghp_0123456789')).toEqual([
      400,
      'invalid_argument',
      'secret_like_value',
      '/url',
    ]);
    expect(await bad(3)).toEqual([400, 'invalid_request', undefined, '/url']);
    expect(statusAndCode(await request(git.url('none'), { ref: 'v1' }))).toEqual([
      400,
      'invalid_request',
      undefined,
      '/ref',
    ]);
    const path = address();
    expect((await server.raw({ method: 'POST', path })).status).toBe(401);
    expect((await server.request('POST', address('/internal/v1'), { url: git.url('none') })).status).toBe(401);
    const viewer = await server.join('viewer');
    const versions = { params: { workspaceId: server.workspaceId }, body: { url: git.url('none') } };
    await expect(viewer.api.resolveStableVersion(versions)).rejects.toMatchObject({ status: 409 });
    const outsider = await server.join(undefined);
    await expect(outsider.api.resolveStableVersion(versions)).rejects.toMatchObject({ status: 403 });
  });

  test('accepts sixty calls a minute per account, and stores nothing', async () => {
    const rows = () =>
      server.ledger(({ sqlite }) => {
        const tables = sqlite.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[];
        return tables.map((name) => [name, sqlite.prepare(`SELECT count(*) FROM "${name}"`).pluck().get()]);
      });
    const before = rows();
    clock.advance(60_000);
    for (let call = 0; call < 60; call += 1) expect((await request('ftp://x')).status).toBe(400);
    const late = await request('ftp://x');
    expect([late.status, late.headers['retry-after']]).toEqual([429, '60']);
    expect((await asOperator('ftp://x')).status).toBe(400);
    clock.advance(60_000);
    expect((await request('ftp://x')).status).toBe(400);
    expect(rows()).toEqual(before);
  });
});
