import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
import { refusalOf } from '../../../test/form-rules.ts';
import { addWorkspace } from '../../../test/second-workspace.ts';

const ofKind = (kind: string, definitionVersion: string, members: object = {}) =>
  formPackage({ formRef: { ...formPackage().formRef, kind, definitionVersion }, ...members });

let f: FormHostFixture;
beforeAll(async () => {
  f = await startFormHost({
    packages: [
      formPackage({ interfaces: [bucketInterface] }),
      ofKind('Bucket', '0.9.0', { activation: { spaces: [] } }),
      ofKind('Queue', '1.0.0'),
      ofKind('Queue', '2.0.0'),
      ofKind('Idle', '1.0.0', { activation: { spaces: [] } }),
    ],
  });
});
afterAll(() => f.server.close());

const desired = (name: string, more: object = {}) => ({
  kind: 'Bucket',
  metadata: { name },
  spec: { size: 1 },
  ...more,
});
const at = (name: string, tail = '', kind = 'Bucket', space = f.server.workspaceId) =>
  `/resources/${kind}/${name}${tail}?space=${space}`;
const put = (name: string, more: object = {}, headers = {}) => f.legacy('PUT', at(name), desired(name, more), headers);
const kindOf = (kind: string) => (name: string) => ({ kind, metadata: { name }, spec: { size: 1 } });
const space = () => `?space=${f.server.workspaceId}`;

describe('the form of a kind', () => {
  it('is the one that is activated, also beside one that is not', async () => {
    expect(resourceIn(await put('of-kind')).form).toEqual(f.usual);
  });

  it.each([
    ['none is activated', 'Idle', [404, 'form_unknown', undefined, false]],
    ['none is known', 'Nothing', [404, 'form_unknown', undefined, false]],
    ['several are activated', 'Queue', [409, 'form_identity_conflict', undefined, false]],
  ])('is refused when %s', async (_, kind, refusal) => {
    const body = kindOf(kind)('one');
    for (const answer of [
      await f.legacy('POST', `/resources/preview${space()}`, body),
      await f.legacy('PUT', at('one', '', kind), body),
      await f.legacy('POST', at('one', '/import', kind), { ...body, nativeId: 'x' }),
    ])
      expect(refusalOf(answer)).toEqual(refusal);
  });

  it.each(['Idle', 'Nothing', 'Queue'])('%s does not matter to a Resource that does not exist', async (kind) => {
    for (const tail of ['/observe', '/refresh'])
      expect(statusOf(await f.legacy('POST', at('absent', tail, kind)))).toEqual([404, 'resource_not_found']);
    expect(statusOf(await f.legacy('GET', at('absent', '', kind)))).toEqual([404, 'resource_not_found']);
    expect((await f.legacy('DELETE', at('absent', '', kind))).status).toBe(204);
    const again = { 'idempotency-key': freshKey() };
    for (let call = 0; call < 2; call += 1)
      expect((await f.legacy('DELETE', at('absent', '', kind), undefined, again)).status).toBe(204);
  });

  it('of an existing Resource is compared with that of its kind', async () => {
    const form = f.usual;
    const other = { ...form, formRef: { ...form.formRef, definitionVersion: '7.0.0' } };
    await put('of-other');
    f.server.ledger(({ sqlite }) =>
      sqlite.prepare("UPDATE form_resources SET form = ? WHERE name = 'of-other'").run(JSON.stringify(other)),
    );
    expect(statusOf(await put('of-other'))).toEqual([409, 'form_identity_conflict']);
    expect((await f.legacy('POST', at('of-other', '/observe'))).status).toBe(200);
    expect((await f.legacy('DELETE', at('of-other'))).status).toBe(204);
  });

  it('has the apiVersion of the body, when there is one', async () => {
    expect(statusOf(await put('versioned', { apiVersion: 'other/v1' }))).toEqual([400, 'invalid_argument']);
    expect((await put('versioned', { apiVersion: f.usual.formRef.apiVersion })).status).toBe(200);
  });
});

describe('the space', () => {
  const withSpace = (name: string, inBody: string) => ({
    kind: 'Bucket',
    metadata: { name, space: inBody },
    spec: { size: 1 },
  });
  it('stands in the query, in the body or in both', async () => {
    const { workspaceId } = f.server;
    expect((await put('in-query')).status).toBe(200);
    const inBody = await f.legacy('PUT', '/resources/Bucket/in-body', withSpace('in-body', workspaceId));
    expect([inBody.status, resourceIn(inBody).metadata.space]).toEqual([200, workspaceId]);
    expect((await f.legacy('PUT', at('in-both'), withSpace('in-both', workspaceId))).status).toBe(200);
  });

  it('that is missing or stands there twice with two values is 400', async () => {
    const other = f.server.ledger((db) => addWorkspace(db, [f.server.subject]));
    for (const answer of [
      await f.legacy('PUT', '/resources/Bucket/nowhere', desired('nowhere')),
      await f.legacy('POST', '/resources/preview', desired('nowhere')),
      await f.legacy('POST', '/resources/Bucket/nowhere/import', { ...desired('nowhere'), nativeId: 'x' }),
      await f.legacy('PUT', at('nowhere'), withSpace('nowhere', other)),
      await f.legacy('GET', '/resources/Bucket/nowhere'),
      await f.legacy('GET', '/resources'),
      await f.legacy('DELETE', '/resources/Bucket/nowhere'),
    ])
      expect(refusalOf(answer)).toEqual([400, 'invalid_argument', 'invalid_request', false]);
  });
});

describe('a precondition or key', () => {
  it('that is sent counts', async () => {
    await put('conditional');
    for (const headers of [
      { 'if-match': '"2"' },
      { 'if-none-match': '*' },
      { 'if-match': '"1"', 'if-none-match': '*' },
    ]) {
      expect(statusOf(await put('conditional', {}, headers))).toEqual([412, 'resource_version_conflict']);
      for (const [method, tail] of [
        ['POST', '/observe'],
        ['POST', '/refresh'],
        ['DELETE', ''],
      ] as const)
        expect(statusOf(await f.legacy(method, at('conditional', tail), undefined, headers))).toEqual([
          412,
          'resource_version_conflict',
        ]);
    }
    expect((await put('conditional', {}, { 'if-match': '"1"' })).headers.etag).toBe('"2"');
  });

  it('that is sent recognizes a repeated operation', async () => {
    const headers = { 'idempotency-key': freshKey() };
    const [first, again] = [await put('repeated', {}, headers), await put('repeated', {}, headers)];
    expect([first.status, again.status, again.json]).toEqual([200, 200, first.json]);
    expect(statusOf(await put('repeated', { spec: { size: 2 } }, headers))).toEqual([412, 'resource_version_conflict']);
    expect(statusOf(await put('repeated', {}, { 'idempotency-key': 'short' }))).toEqual([400, 'invalid_argument']);
  });
});

it('a version in the metadata counts as one in If-Match', async () => {
  await put('counted');
  await put('counted');
  const version = (resourceVersion: string) => ({ metadata: { name: 'counted', resourceVersion } });
  expect(statusOf(await put('counted', version('1')))).toEqual([412, 'resource_version_conflict']);
  expect(resourceIn(await put('counted', version('2'))).metadata.resourceVersion).toBe('3');
});

it('bodies are closed: form and review are refused', async () => {
  for (const more of [{ form: f.usual }, { review: { planDigest: 'x' } }, { surprise: 1 }])
    expect(refusalOf(await put('closed', more))).toEqual([400, 'invalid_argument', 'invalid_request', false]);
});

it('an import creates a Resource, and conflicts with an existing one', async () => {
  fs.writeFileSync(path.join(nativeDirOf(f.dataDir), 'legacy-free.json'), '{"spec":{"size":3}}');
  const body = { ...desired('adopted'), nativeId: 'legacy-free' };
  const imported = await f.legacy('POST', at('adopted', '/import'), body);
  expect([imported.status, resourceIn(imported).status?.observed.imported]).toEqual([200, true]);
  expect(statusOf(await f.legacy('POST', at('adopted', '/import'), body))).toEqual([409, 'import_conflict']);
});

it('answers have the Resource of the protocol in one member', async () => {
  const created = await put('same');
  const exact = await f.read('same');
  expect(created.json).toEqual({ resource: exact.json });
  for (const answer of [await f.legacy('GET', at('same')), await f.legacy('POST', at('same', '/observe'))])
    expect([answer.json, answer.headers.etag]).toEqual([{ resource: exact.json }, '"1"']);
  const changed = await f.apply({ name: 'same', spec: { size: 2 } }, changing(1));
  expect((await f.legacy('GET', at('same'))).json).toEqual({ resource: changed.json });
  expect((await f.apply({ name: 'same-again' }, creating())).status).toBe(200);
  const { resources } = (await f.legacy('GET', `/resources${space()}`)).json as { resources: object[] };
  expect(resources).toContainEqual(changed.json);
});
