import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer, testKeyFile } from '../../../test/harness.ts';

let server: TestServer;
const away = () => `${testKeyFile(server.dataDir)}.away`;
beforeAll(async () => {
  server = await startTestServer();
  fs.renameSync(testKeyFile(server.dataDir), away());
  await server.restart();
});
afterAll(() => server.close());

const authorize = (more: Record<string, string> = {}) => {
  const search = new URLSearchParams({
    response_type: 'code',
    client_id: 'groundctl-cli',
    redirect_uri: 'http://127.0.0.1:43111/callback',
    scope: 'openid',
    state: 'the-state',
    code_challenge: 'c'.repeat(43),
    code_challenge_method: 'S256',
    workspace: '',
    ...more,
  });
  return server.raw({ path: `/oauth/authorize?${search}` });
};

describe('a sign-in at an app while the vault is sealed', () => {
  it('returns to the app, which learns that it may try again', async () => {
    const { status, headers } = await authorize();
    const { origin, pathname, searchParams } = new URL(headers.location ?? '');
    expect([status, origin + pathname]).toEqual([302, 'http://127.0.0.1:43111/callback']);
    expect(Object.fromEntries(searchParams)).toEqual({
      error: 'temporarily_unavailable',
      error_description: expect.any(String),
      state: 'the-state',
      iss: server.url,
    });
  });

  it.each([
    ['an unknown client', { client_id: 'unknown' }],
    ['a redirect that the client has not', { redirect_uri: 'http://127.0.0.1:43111/other' }],
  ])('is refused here for %s', async (_, parameters) => {
    const { status, headers } = await authorize(parameters);
    expect([status, headers.location]).toEqual([400, undefined]);
  });

  it('works again as soon as the vault is open', async () => {
    fs.renameSync(away(), testKeyFile(server.dataDir));
    await server.as(server.operatorToken).unsealVault({ body: {} });
    const { status, headers } = await authorize();
    expect([status, headers.location]).toEqual([302, expect.stringMatching(/^\/sign-in\?return=/)]);
  });
});
