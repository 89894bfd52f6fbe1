import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canary } from '../../../test/connection-bodies.ts';
import { refusalOf } from '../../../test/connections-fixture.ts';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { type ModuleRegistry, startModuleRegistry } from '../../../test/module-registry.ts';

let registry: ModuleRegistry;
let server: TestServer;
const token = canary('registry');
const module = 'example/network/aws';
beforeAll(async () => {
  registry = await startModuleRegistry();
  server = await startTestServer({ env: { GROUNDCTL_CA_FILE: registry.caFile } });
  registry.publish(module, '1.0.0', `${registry.file('network.tar.gz', 'unused')}`);
  registry.requireToken(token);
});
afterAll(async () => {
  await server.close();
  await registry.close();
});

const body = (more: Record<string, unknown> = {}) => ({
  workspaceId: server.workspaceId,
  provider: 'module-registry',
  kind: 'module_registry_token' as const,
  values: { MODULE_REGISTRY_TOKEN: token },
  scopeHints: { providerConfig: { host: registry.host, module } },
  ...more,
});
const create = (more: Record<string, unknown> = {}) => server.request('POST', '/api/v1/connections', body(more));
const connect = async (more: Record<string, unknown> = {}) =>
  (await server.api.createConnection({ body: body(more) })).body.connection;
const testOf = async (connectionId: string) => (await server.api.testConnection({ params: { connectionId } })).body;

describe('a Connection to a module registry', () => {
  test('shows its host and the name of its value', async () => {
    const connection = await connect();
    expect(connection).toMatchObject({
      kind: 'module_registry_token',
      providerSource: 'module-registry',
      envNames: ['MODULE_REGISTRY_TOKEN'],
      scopeHints: { providerConfig: { host: registry.host, module } },
    });
    expect(JSON.stringify(connection)).not.toContain(token);
  });

  test('is tested by a request with its token', async () => {
    registry.seen.length = 0;
    expect(await testOf((await connect()).id)).toEqual({ status: 'verified' });
    expect(registry.seen.some(({ headers }) => headers.authorization === `Bearer ${token}`)).toBe(true);
  });

  test('with a wrong token fails its test, and proves nothing without a module', async () => {
    const wrong = await connect({ values: { MODULE_REGISTRY_TOKEN: canary('wrong') } });
    expect(await testOf(wrong.id)).toMatchObject({ status: 'error' });
    const bare = await connect({ scopeHints: { providerConfig: { host: registry.host } } });
    expect(await testOf(bare.id)).toMatchObject({ status: 'pending' });
  });

  test('refuses addresses in place of the host, several lines, and a recipe', async () => {
    for (const host of [
      'https://app.terraform.io',
      'App.terraform.io',
      'app.terraform.io/x',
      'localhost',
      'github.com',
    ])
      expect(refusalOf(await create({ scopeHints: { providerConfig: { host } } }))).toEqual([
        400,
        'invalid_argument',
        'module_registry_invalid',
        '/scopeHints/providerConfig/host',
      ]);
    expect(refusalOf(await create({ values: { MODULE_REGISTRY_TOKEN: 'a\nb' } }))[2]).toBe(
      'connection_material_missing',
    );
    expect(refusalOf(await create({ values: {} }))[2]).toBe('connection_material_missing');
    expect(refusalOf(await create({ credentialRecipe: { id: 'github', authMode: 'token' } }))[2]).toBe(
      'recipe_unknown',
    );
  });

  test('is not offered for providers, nor for Sources', async () => {
    const { id } = await connect();
    const { workspaceId } = server;
    const { providerConnections } = (await server.api.listProviderConnections({ query: { workspaceId } })).body;
    expect(providerConnections.map((one) => one.id)).not.toContain(id);
    const source = { workspaceId, name: 'x', url: 'https://example.com/x.git', authConnectionId: id };
    expect(refusalOf(await server.request('POST', '/api/v1/sources', source))[2]).toBe('connection_kind_mismatch');
  });
});
