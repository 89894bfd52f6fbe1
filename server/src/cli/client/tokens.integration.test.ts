import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { groundctl } from '../../../test/command-line.ts';
import { startTestServer, type TestServer } from '../../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => server.close());

const here = () => ['--data-dir', server.dataDir];

test('a token is printed once, works as GROUNDCTL_TOKEN, is listed and revoked', async () => {
  const result = await groundctl('token', 'create', 'nightly', '--scope', 'read', '--scope', 'admin', ...here());
  expect([result.code, result.out]).toEqual([0, expect.stringMatching(/^svcpat_[\w-]{43}\n$/)]);
  const token = result.out.trim();
  vi.stubEnv('GROUNDCTL_TOKEN', token);
  expect((await groundctl('sources', '--url', server.url, '--json')).out).toBe('{"sources":[]}\n');
  vi.unstubAllEnvs();
  const listed = await groundctl('token', 'list', ...here());
  expect(listed.out).toMatch(/nightly\s+svcpat_\S{8}\s+read,admin\s+all\s+never/);
  expect(listed.out).not.toContain(token);
  const id = /pat_[0-9a-f]{32}/.exec(listed.out)?.[0] ?? '';
  expect((await groundctl('token', 'revoke', id, ...here())).out).toBe('nightly is revoked.\n');
  vi.stubEnv('GROUNDCTL_TOKEN', token);
  const refused = await groundctl('sources', '--url', server.url);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('no longer valid')]);
});

test('does not call a valid token invalid where a signed-in person is required', async () => {
  const { out } = await groundctl('token', 'create', 'reader', '--scope', 'read', ...here());
  vi.stubEnv('GROUNDCTL_TOKEN', out.trim());
  for (const args of [['list'], ['create', 'another'], ['revoke', `pat_${'0'.repeat(32)}`]]) {
    const refused = await groundctl('token', ...args, '--url', server.url);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('or --data-dir DIR on the machine')]);
    expect(refused.err).not.toContain('The server refused the token');
  }
});

test('a token is bound to a Workspace, and ends after days', async () => {
  const [workspace] = (await server.api.listWorkspaces({})).body.workspaces;
  const args = ['--workspace', workspace?.handle ?? '', '--days', '7', '--json'];
  const { out } = await groundctl('token', 'create', 'bound', ...args, ...here());
  const { token_record } = JSON.parse(out) as { token_record: { workspace_id: string; expires_at: string } };
  expect(token_record.workspace_id).toBe(server.workspaceId);
  expect(Date.parse(token_record.expires_at) - Date.now()).toBeGreaterThan(6 * 86_400_000);
  expect((await groundctl('token', 'create', 'x', '--days', '0', ...here())).code).toBe(2);
});

test('a session makes what everybody may make, and no more', async () => {
  vi.stubEnv('GROUNDCTL_TOKEN', server.token);
  const at = ['--url', server.url];
  expect((await groundctl('token', 'create', 'mine', ...at)).code).toBe(0);
  const refused = await groundctl('token', 'create', 'mine', '--scope', 'admin', ...at);
  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringContaining('One of the scopes cannot be given to a token here'),
  ]);
});
