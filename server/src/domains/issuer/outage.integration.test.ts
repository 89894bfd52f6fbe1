import fs from 'node:fs';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
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
  it('is refused here, like every other request', async () => {
    const { status, json, headers } = await authorize();
    expect([status, json, headers.location]).toMatchObject([503, { error: { code: 'vault_sealed' } }, undefined]);
  });

  it('works again as soon as the vault is open', async () => {
    fs.renameSync(away(), testKeyFile(server.dataDir));
    await server.as(server.operatorToken).unsealVault({ body: {} });
    const { status, headers } = await authorize();
    expect([status, headers.location]).toEqual([302, expect.stringMatching(/^\/sign-in\?return=/)]);
  });
});

describe('after a restart on a full disk', () => {
  /** Lets every transaction fail, as SQLite does when there is no space. */
  async function onFullDisk<T>(work: () => Promise<T>): Promise<T> {
    const spy = vi.spyOn(Database.prototype, 'transaction').mockImplementation(() => {
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    });
    return work().finally(() => spy.mockRestore());
  }
  const token = () =>
    server.raw({
      method: 'POST',
      path: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=refresh_token&refresh_token=unknown&client_id=groundctl-cli',
    });

  it('an authorization request returns to the app, and a token request is a flat 503', async () => {
    await server.restart();
    const [authorized, exchanged] = await onFullDisk(async () => [await authorize(), await token()] as const);
    const { origin, searchParams } = new URL(authorized.headers.location ?? '');
    expect([origin, searchParams.get('error')]).toEqual(['http://127.0.0.1:43111', 'temporarily_unavailable']);
    const description = 'the server cannot store anything now, try again later';
    expect(searchParams.get('error_description')).toBe(description);
    expect([exchanged.status, exchanged.json]).toEqual([
      503,
      { error: 'temporarily_unavailable', error_description: description },
    ]);
  });

  it('both work again when there is space', async () => {
    expect((await authorize()).headers.location).toMatch(/^\/sign-in\?return=/);
    expect((await token()).json).toMatchObject({ error: 'invalid_grant' });
  });
});
