import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formHostPath } from '#shared/vendor';
import {
  changing,
  creating,
  type FormHostFixture,
  freshKey,
  nativeDirOf,
  resourceIn,
  startFormHost,
  statusOf,
} from '../../../test/form-host.ts';
import { bucketInterface, formPackage } from '../../../test/form-package.ts';

let f: FormHostFixture;
beforeAll(async () => {
  f = await startFormHost({ packages: [formPackage({ interfaces: [bucketInterface] })] });
});
afterAll(() => f.server.close());

const nativeFiles = () => fs.readdirSync(nativeDirOf(f.dataDir));
const nativeOf = (file: string) => JSON.parse(fs.readFileSync(path.join(nativeDirOf(f.dataDir), file), 'utf8'));

describe('a Resource', () => {
  it('is created as it was previewed, with its native object, its version and its history', async () => {
    const spec = { size: 2, endpoint: 'https://files.example' };
    const body = f.desired({ name: 'first', spec });
    const previewed = await f.preview(body, { 'if-none-match': '*' });
    expect([previewed.status, nativeDirOf(f.dataDir), fs.existsSync(nativeDirOf(f.dataDir))]).toEqual([
      200,
      nativeDirOf(f.dataDir),
      false,
    ]);
    const { resource, review } = previewed.json as { resource: object; review: { planDigest: string } };
    expect(resource).toEqual({ ...body, metadata: { ...body.metadata, resourceVersion: '1' } });
    const key = freshKey();
    const created = await f.put({ ...body, review: { planDigest: review.planDigest } }, creating(key));
    expect([created.status, created.headers.etag, created.headers['idempotency-key']]).toEqual([200, '"1"', key]);
    const { status, ...rest } = resourceIn(created);
    expect(rest).toEqual(resource);
    const id = status?.output.id ?? '';
    expect(id).toMatch(/^res_/);
    expect(status).toEqual({
      observed: { id, ready: true, generation: '1', imported: false, portability: 'portable', driftedFields: [] },
      output: { id },
    });
    const [file = '', ...more] = nativeFiles();
    expect(more).toEqual([]);
    expect(file).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}\.json$/);
    expect(nativeOf(file)).toMatchObject({ spec, owner: { resourceId: id, workspaceId: f.server.workspaceId } });
    const read = await f.read('first');
    expect([read.json, read.headers.etag]).toEqual([created.json, '"1"']);
    const { events } = (await f.events('first')).json as { events: object[] };
    expect(events).toEqual([
      expect.objectContaining({ action: 'resource.apply.succeeded', resourceVersion: '1', actorId: f.server.subject }),
    ]);
    const { interfaces } = (
      await f.server.api.listInterfaces({
        query: { workspaceId: f.server.workspaceId, ownerKind: 'Resource', ownerId: id },
      })
    ).body;
    expect(interfaces.map(({ name, status: { phase, resolvedInputs } }) => [name, phase, resolvedInputs])).toEqual([
      ['first-endpoint', 'Resolved', { endpoint: 'https://files.example' }],
    ]);
  });

  it('is updated at its version, and refuses a stale one', async () => {
    await f.apply({ name: 'second' });
    const updated = await f.apply({ name: 'second', spec: { size: 7 } }, changing(1));
    expect([updated.status, updated.headers.etag, resourceIn(updated).spec]).toEqual([200, '"2"', { size: 7 }]);
    expect(statusOf(await f.apply({ name: 'second', spec: { size: 8 } }, changing(1)))).toEqual([
      412,
      'resource_version_conflict',
    ]);
    expect(statusOf(await f.apply({ name: 'second' }))).toEqual([412, 'resource_version_conflict']);
    expect(resourceIn(await f.read('second')).spec).toEqual({ size: 7 });
  });

  it('shows drift after an observe, publishes the native state at a refresh, and keeps its generation', async () => {
    const created = await f.apply({ name: 'third', spec: { size: 1, endpoint: 'https://a.example' } });
    const id = resourceIn(created).status?.output.id ?? '';
    const file = nativeFiles().find((name) => nativeOf(name).owner.resourceId === id) ?? '';
    const changed = { ...nativeOf(file), spec: { size: 1, endpoint: 'https://b.example' } };
    fs.writeFileSync(path.join(nativeDirOf(f.dataDir), file), JSON.stringify(changed));
    const publishedValue = async () => {
      const query = { workspaceId: f.server.workspaceId, ownerKind: 'Resource' as const, ownerId: id };
      return (await f.server.api.listInterfaces({ query })).body.interfaces[0]?.status.resolvedInputs;
    };
    const observed = await f.look('third', 'observe', changing(1));
    expect([observed.status, resourceIn(observed).status?.observed]).toEqual([
      200,
      { id, ready: true, generation: '1', imported: false, portability: 'portable', driftedFields: ['/endpoint'] },
    ]);
    expect(await publishedValue()).toEqual({ endpoint: 'https://a.example' });
    const refreshed = await f.look('third', 'refresh', changing(1));
    expect([refreshed.status, refreshed.headers.etag]).toEqual([200, '"1"']);
    expect(await publishedValue()).toEqual({ endpoint: 'https://b.example' });
    fs.rmSync(path.join(nativeDirOf(f.dataDir), file));
    const gone = await f.look('third', 'refresh', changing(1));
    expect(resourceIn(gone).status?.observed).toMatchObject({ ready: false, driftedFields: [''] });
    const restored = await f.apply({ name: 'third', spec: { size: 1 } }, changing(1));
    expect(resourceIn(restored).status?.observed).toMatchObject({ ready: true, driftedFields: [], generation: '2' });
    expect((await f.events('third')).json).toMatchObject({
      events: ['apply', 'observe', 'refresh', 'refresh', 'apply'].map((action) => ({
        action: `resource.${action}.succeeded`,
      })),
    });
  });

  it('is imported from a native object without an owner, and remembers its drift', async () => {
    fs.writeFileSync(path.join(nativeDirOf(f.dataDir), 'free.one.json'), '{"spec":{"size":5}}');
    const imported = await f.import('free.one', { name: 'fourth', spec: { size: 6 } });
    expect([imported.status, imported.headers.etag]).toEqual([200, '"1"']);
    expect(resourceIn(imported)).toMatchObject({
      spec: { size: 6 },
      status: { observed: { imported: true, driftedFields: ['/size'] } },
    });
    expect(nativeOf('free.one.json').spec).toEqual({ size: 5 });
    expect(statusOf(await f.import('free.one', { name: 'fifth' }))).toEqual([409, 'import_conflict']);
    expect(statusOf(await f.import('nothing', { name: 'fifth' }))).toEqual([404, 'resource_not_found']);
  });

  it('is deleted with its native object and its Interfaces, and is then deleted already', async () => {
    const created = await f.apply({ name: 'sixth', spec: { size: 1, endpoint: 'https://c.example' } });
    const id = resourceIn(created).status?.output.id ?? '';
    expect(statusOf(await f.remove('sixth', changing(2)))).toEqual([412, 'resource_version_conflict']);
    const key = freshKey();
    expect((await f.remove('sixth', changing(1, key))).status).toBe(204);
    expect(nativeFiles().filter((name) => nativeOf(name).owner?.resourceId === id)).toEqual([]);
    expect((await f.remove('sixth', changing(1, key))).status).toBe(204);
    expect((await f.remove('sixth', changing(1))).status).toBe(204);
    expect(statusOf(await f.read('sixth'))).toEqual([404, 'resource_not_found']);
    const query = { workspaceId: f.server.workspaceId, ownerKind: 'Resource' as const, ownerId: id };
    expect((await f.server.api.listInterfaces({ query })).body.interfaces).toEqual([]);
  });
});

describe('a repeated operation', () => {
  it('answers its Resource again, and moves nothing', async () => {
    const headers = creating();
    const first = await f.apply({ name: 'again' }, headers);
    const body = f.desired({ name: 'again' });
    const again = await f.put({ ...body, review: { planDigest: `sha256:${'1'.repeat(64)}` } }, headers);
    expect([again.status, again.json]).toEqual([200, first.json]);
    const events = (await f.events('again')).json as { events: unknown[] };
    expect(events.events).toHaveLength(1);
  });

  it('with another body is refused with 412', async () => {
    const headers = creating();
    await f.apply({ name: 'again-2' }, headers);
    const body = f.desired({ name: 'again-2', spec: { size: 9 } });
    const other = await f.put({ ...body, review: { planDigest: `sha256:${'1'.repeat(64)}` } }, headers);
    expect(statusOf(other)).toEqual([412, 'resource_version_conflict']);
  });

  it('of a Resource that was deleted since is refused, and creates nothing', async () => {
    const headers = creating();
    await f.apply({ name: 'again-3' }, headers);
    await f.remove('again-3', changing(1));
    const body = f.desired({ name: 'again-3' });
    const again = await f.put({ ...body, review: { planDigest: `sha256:${'1'.repeat(64)}` } }, headers);
    expect(statusOf(again)).toEqual([412, 'resource_version_conflict']);
    expect(statusOf(await f.read('again-3'))).toEqual([404, 'resource_not_found']);
  });
});

it('the discovery document names the four endpoints', async () => {
  const { status, json, headers } = await f.server.raw({ path: '/.well-known/formhost' });
  const origin = `http://${f.server.host}`;
  expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=300']);
  expect(json).toEqual({
    api_versions: ['forms.formhost/v1alpha1'],
    features: {
      service_forms: true,
      exact_form_ref: true,
      optimistic_concurrency: true,
      idempotent_lifecycle: true,
    },
    endpoints: {
      api: `${origin}${formHostPath}`,
      forms: `${origin}${formHostPath}/forms`,
      capabilities: `${origin}/v1/capabilities`,
      compatibility_api: `${origin}/v1`,
      oidc_issuer: origin,
    },
  });
  const { body } = await f.server.api.getCapabilities({});
  expect([body.formHost, body.endpoints.extensions?.['formhost']]).toEqual([true, `${origin}/.well-known/formhost`]);
  expect((await f.legacy('GET', '/capabilities')).json).toEqual(body);
});

it('the compatibility routes read and change the same Resources without form, condition and key', async () => {
  const space = `?space=${f.server.workspaceId}`;
  const body = { kind: 'Bucket', metadata: { name: 'legacy' }, spec: { size: 1 } };
  const created = await f.legacy('PUT', `/resources/Bucket/legacy${space}`, body);
  expect(created.status).toBe(200);
  expect((await f.read('legacy')).json).toEqual(resourceIn(created));
  const updated = await f.legacy('PUT', `/resources/Bucket/legacy${space}`, { ...body, spec: { size: 2 } });
  expect(resourceIn(updated).metadata.resourceVersion).toBe('2');
  expect((await f.legacy('POST', `/resources/Bucket/legacy/observe${space}`)).status).toBe(200);
  expect((await f.legacy('DELETE', `/resources/Bucket/legacy${space}`)).status).toBe(204);
  expect((await f.legacy('DELETE', `/resources/Bucket/legacy${space}`)).status).toBe(204);
  expect(statusOf(await f.legacy('GET', `/resources/Bucket/legacy${space}`))).toEqual([404, 'resource_not_found']);
});
