import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../test/harness.ts';

/* Permission to name a repository on the server's disk: it is read with the server's permissions. */

let server: TestServer;
const start = async (env: Record<string, string> = {}) => {
  server = await startTestServer({ env });
};
beforeEach(() => start());
afterEach(() => server.close());

const url = 'file:///srv/git/private';
const source = () => ({ workspaceId: server.workspaceId, name: 'Private', url });
const versions = () => ({ params: { workspaceId: server.workspaceId }, body: { url } });
const install = () => ({
  params: { workspaceId: server.workspaceId },
  body: { source: { name: 'Private', url, ref: 'main', path: '.' }, capsule: { name: 'Private', environment: 'prod' } },
});
const refusal = { status: 403, code: 'forbidden' };

describe('a repository on the disk of the server', () => {
  test('can be named only by the owner of the installation, regardless of roles', async () => {
    const { api } = await server.join('owner');
    await expect(api.createSource({ body: source() })).rejects.toMatchObject({
      ...refusal,
      message: expect.stringContaining('Only the owner of this installation'),
      details: { field: '/url' },
    });
    await expect(api.resolveStableVersion(versions())).rejects.toMatchObject(refusal);
    await expect(api.createInstallPlan(install(), { 'idempotency-key': 'one' })).rejects.toMatchObject({
      ...refusal,
      details: { field: '/source/url' },
    });
    expect((await server.api.createSource({ body: source() })).status).toBe(201);
  });

  test('that the owner has added can be installed by other members of the Workspace', async () => {
    await server.api.createSource({ body: source() });
    const { api } = await server.join('admin');
    expect((await api.createInstallPlan(install(), { 'idempotency-key': 'one' })).status).toBe(201);
  });

  test('can be named by everyone when the setting allows it', async () => {
    await server.close();
    await start({ GROUNDCTL_ALLOW_LOCAL_GIT: 'everyone' });
    const { api } = await server.join('member');
    expect((await api.createSource({ body: source() })).status).toBe(201);
  });
});
