import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canary, storageBody } from '../../../test/connection-bodies.ts';
import { create, list, refusalOf, serveConnections, server } from '../../../test/connections-fixture.ts';
import { errorAnswer, type ObjectBucket, startObjectBucket } from '../../../test/object-bucket.ts';

serveConnections();
let bucket: ObjectBucket;
beforeAll(async () => {
  bucket = await startObjectBucket();
});
afterAll(() => bucket.close());

const body = (more: Record<string, unknown> = {}) => storageBody(server.workspaceId, bucket.connection, more);
const hints = (part: Record<string, unknown>) => ({
  scopeHints: { providerConfig: { ...bucket.connection, ...part } },
});
const connect = async (more: Record<string, unknown> = {}) =>
  (await server.api.createConnection({ body: body(more) })).body.connection;
const testOf = async (connectionId: string) => (await server.api.testConnection({ params: { connectionId } })).body;

describe('a Connection to object storage', () => {
  test('shows its bucket and the names of its values', async () => {
    const connection = await connect();
    expect(connection).toMatchObject({
      kind: 'object_storage',
      provider: 's3',
      providerSource: 's3',
      status: 'pending',
      envNames: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
      scopeHints: { providerConfig: { bucket: 'backups', prefix: 'ground-control/test' } },
    });
    expect(JSON.stringify(connection)).not.toContain('bucket-secret');
  });

  test('is tested by writing, reading and deleting an object below its prefix', async () => {
    const { id } = await connect();
    const before = bucket.requests.length;
    expect(await testOf(id)).toEqual({ status: 'verified' });
    const requests = bucket.requests.slice(before);
    expect(requests.map(({ method }) => method)).toEqual(['PUT', 'GET', 'DELETE']);
    expect(requests.every(({ key }) => key.startsWith('ground-control/test/groundctl-test-'))).toBe(true);
    expect(bucket.objects.keys()).toEqual([]);
  });

  test('with wrong keys fails its test, and a bucket that does not answer proves nothing', async () => {
    const wrong = await connect({
      values: { AWS_ACCESS_KEY_ID: 'AKIA000', AWS_SECRET_ACCESS_KEY: canary('storage') },
    });
    expect(await testOf(wrong.id)).toMatchObject({
      status: 'error',
      detail: expect.stringContaining('refused the keys'),
    });
    const right = await connect();
    bucket.fail(() => errorAnswer(503, 'SlowDown'));
    expect(await testOf(right.id)).toMatchObject({
      status: 'pending',
      detail: expect.stringContaining('not available'),
    });
    bucket.fail(undefined);
    bucket.dropWrites(true);
    expect(await testOf(right.id)).toMatchObject({
      status: 'error',
      detail: expect.stringContaining('something else'),
    });
    bucket.dropWrites(false);
  });

  test('that was revoked holds no keys and is not tested', async () => {
    const { id } = await connect();
    await server.api.revokeConnection({ params: { connectionId: id } });
    await expect(testOf(id)).rejects.toMatchObject({ details: { reason: 'connection_revoked' } });
  });

  test('is not offered for providers', async () => {
    const { id } = await connect();
    const { providerConnections } = (
      await server.api.listProviderConnections({ query: { workspaceId: server.workspaceId } })
    ).body;
    expect(providerConnections.map((one) => one.id)).not.toContain(id);
    expect((await list()).map((one) => one.id)).toContain(id);
  });

  test.each<[string, () => Record<string, unknown>, string, string]>([
    [
      'no secret key',
      () => ({ values: { AWS_ACCESS_KEY_ID: 'A' } }),
      'connection_material_missing',
      '/values/AWS_SECRET_ACCESS_KEY',
    ],
    [
      'a key of two lines',
      () => ({ values: { AWS_ACCESS_KEY_ID: 'A\nB', AWS_SECRET_ACCESS_KEY: 'c' } }),
      'connection_material_missing',
      '/values/AWS_ACCESS_KEY_ID',
    ],
    [
      'another value',
      () => ({ values: { AWS_ACCESS_KEY_ID: 'A', AWS_SECRET_ACCESS_KEY: 'c', AWS_REGION: 'r' } }),
      'env_name_undeclared',
      '/values/AWS_REGION',
    ],
    [
      'a recipe',
      () => ({ credentialRecipe: { id: 'aws', authMode: 'static' } }),
      'recipe_unknown',
      '/credentialRecipe',
    ],
    ['no settings', () => ({ scopeHints: {} }), 'object_storage_invalid', '/scopeHints/providerConfig/endpoint'],
    ['no bucket', () => hints({ bucket: '' }), 'object_storage_invalid', '/scopeHints/providerConfig/bucket'],
    ['another setting', () => hints({ acl: 'public-read' }), 'object_storage_invalid', '/scopeHints/providerConfig'],
    [
      'a prefix that leaves its folder',
      () => hints({ prefix: 'a/../b' }),
      'object_storage_invalid',
      '/scopeHints/providerConfig/prefix',
    ],
    [
      'a prefix that begins with a slash',
      () => hints({ prefix: '/a' }),
      'object_storage_invalid',
      '/scopeHints/providerConfig/prefix',
    ],
    [
      'plain http',
      () => hints({ endpoint: 'http://storage.example.com' }),
      'object_storage_invalid',
      '/scopeHints/providerConfig/endpoint',
    ],
    [
      'a metadata address',
      () => hints({ endpoint: 'https://169.254.169.254' }),
      'object_storage_invalid',
      '/scopeHints/providerConfig/endpoint',
    ],
    [
      'an address with a path',
      () => hints({ endpoint: 'https://storage.example.com/bucket' }),
      'object_storage_invalid',
      '/scopeHints/providerConfig/endpoint',
    ],
    [
      'a secret in its settings',
      () => hints({ prefix: 'AKIA0123456789ABCDEF' }),
      'secret_like_value',
      '/scopeHints/providerConfig/prefix',
    ],
  ])('with %s is refused', async (_what, part, reason, field) => {
    const count = (await list()).length;
    expect(refusalOf(await create(body(part())))).toEqual([400, 'invalid_argument', reason, field]);
    expect((await list()).length).toBe(count);
  });
});
