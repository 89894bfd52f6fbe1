import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256Hex } from '#server/kernel/digest';
import { heldClock, startTestServer, type TestServer } from '../../../test/harness.ts';

const secret = 'a secret of this test alone';
const resourceServer = {
  clientId: 'tools',
  name: 'Tools',
  redirectUris: ['https://tools.example.com/callback'],
  tokenEndpointAuthMethod: 'client_secret_basic',
  clientSecretSha256: sha256Hex(secret),
  scopes: ['openid'],
};
const permission = 'mcp.invoke';
const hostname = 'tools.example.com';

let server: TestServer;
const clock = heldClock(Date.now());
beforeAll(async () => {
  server = await startTestServer({ clock });
  fs.writeFileSync(path.join(server.dataDir, 'oidc-clients.json'), JSON.stringify([resourceServer]));
  await server.restart();
});
afterAll(() => server.close());

let names = 0;
/** An MCP server of the Workspace at its own path, with a binding of the owner. */
async function createTools() {
  names += 1;
  const { workspaceId, subject, api } = server;
  const spec = {
    type: 'mcp.server',
    version: '2025-11-25',
    document: {},
    inputs: { endpoint: { source: 'literal' as const, value: `https://${hostname}/mcp/${names}` } },
    access: { visibility: 'workspace' as const, resourceUriInput: 'endpoint' },
  };
  const ownerRef = { kind: 'Workspace' as const, id: workspaceId };
  const { id } = (await api.createInterface({ body: { workspaceId, name: `tools${names}`, ownerRef, spec } })).body;
  const subjectRef = { kind: 'Principal' as const, id: subject };
  const body = { subjectRef, permissions: [permission], delivery: { type: 'oauth2' } };
  const binding = (await api.createInterfaceBinding({ params: { interfaceId: id }, body })).body;
  return { params: { interfaceId: id }, bindingId: binding.metadata.id, phase: binding.status.phase };
}

const prove = () => {
  const params = { workspaceId: server.workspaceId };
  const body = { hostname, ownerRef: { kind: 'Workspace' as const, id: server.workspaceId } };
  return server.as(server.operatorToken).createHostnameProof({ params, body });
};
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
    const { params, bindingId, phase } = await createTools();
    expect(phase).toBe('NotReady');
    await expect(issue(params)).rejects.toMatchObject({ status: 403, code: 'forbidden' });
    await prove();
    const { access_token: token, expires_in: seconds, resource } = await issue(params);
    expect([seconds, resource]).toEqual([60, `https://${hostname}/mcp/${names}`]);
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
    const { params, bindingId } = await createTools();
    const [first, second] = [await issue(params), await issue(params)];
    clock.advance(60_000);
    expect(await introspect(first.access_token)).toEqual({ active: false });
    const third = await issue(params);
    await server.api.revokeInterfaceBinding({ params: { ...params, bindingId } });
    expect(await introspect(third.access_token)).toEqual({ active: false });
    expect(await introspect(second.access_token)).toEqual({ active: false });
  });

  it('opens no route of the API', async () => {
    const { access_token: token } = await issue((await createTools()).params);
    await expect(server.as(token).listWorkspaces({})).rejects.toMatchObject({ status: 401, code: 'invalid_token' });
  });
});
