import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256Hex } from '#server/kernel/digest';
import { heldClock, startTestServer, type TestServer } from '../../../test/harness.ts';
import { createTools, permission, proveToolsHost } from '../../../test/issuer/tools.ts';

const secret = 'a secret of this test alone';
const resourceServer = {
  clientId: 'tools',
  name: 'Tools',
  redirectUris: ['https://tools.example.com/callback'],
  tokenEndpointAuthMethod: 'client_secret_basic',
  clientSecretSha256: sha256Hex(secret),
  scopes: ['openid'],
};

let server: TestServer;
const clock = heldClock(Date.now());
beforeAll(async () => {
  server = await startTestServer({ clock });
  fs.writeFileSync(path.join(server.dataDir, 'oidc-clients.json'), JSON.stringify([resourceServer]));
  await server.restart();
});
afterAll(() => server.close());

const issue = async (params: { interfaceId: string }) =>
  (await server.api.issueInterfaceToken({ params, body: { permission } })).body;

async function introspect(token: string): Promise<unknown> {
  const headers = {
    authorization: `Basic ${Buffer.from(`tools:${encodeURIComponent(secret)}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  };
  const body = String(new URLSearchParams({ token }));
  return (await server.raw({ method: 'POST', path: '/oauth/introspect', headers, body })).json;
}

describe('a token for an Interface', () => {
  it('is issued once the host is proven, and names Interface, binding and resource to its resource server', async () => {
    const { params, bindingId, phase, address } = await createTools(server);
    expect(phase).toBe('NotReady');
    await expect(issue(params)).rejects.toMatchObject({ status: 403, code: 'forbidden' });
    await proveToolsHost(server);
    const { access_token: token, expires_in: seconds, resource } = await issue(params);
    expect([seconds, resource]).toEqual([60, address]);
    expect(await introspect(token)).toMatchObject({
      active: true,
      token_use: 'interface_oauth',
      sub: server.subject,
      aud: resource,
      scope: permission,
      svc: { interface_id: params.interfaceId, interface_binding_id: bindingId, interface_resolved_revision: 1 },
    });
  });

  it('ends with its binding, and after a minute', async () => {
    const { params, bindingId } = await createTools(server);
    const [first, second] = [await issue(params), await issue(params)];
    clock.advance(60_000);
    expect(await introspect(first.access_token)).toEqual({ active: false });
    const third = await issue(params);
    await server.api.revokeInterfaceBinding({ params: { ...params, bindingId } });
    expect(await introspect(third.access_token)).toEqual({ active: false });
    expect(await introspect(second.access_token)).toEqual({ active: false });
  });

  it('opens no route of the API', async () => {
    const { access_token: token } = await issue((await createTools(server)).params);
    await expect(server.as(token).listWorkspaces({})).rejects.toMatchObject({ status: 401, code: 'invalid_token' });
  });
});
