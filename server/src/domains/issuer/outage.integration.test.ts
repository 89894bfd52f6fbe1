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
