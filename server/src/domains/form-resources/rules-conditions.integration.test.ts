import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formHostPath } from '#shared/vendor';
import {
  changing,
  creating,
  type FormHostFixture,
  freshKey,
  type Headers,
  nativeDirOf,
  resourceIn,
  startFormHost,
  statusOf,
} from '../../../test/form-host.ts';
import { callRoute, errorOf, noDigest, refusalOf } from '../../../test/form-rules.ts';

let f: FormHostFixture;
beforeAll(async () => {
  f = await startFormHost();
  await f.apply({ name: 'present' });
  await f.apply({ name: 'present' }, changing(1));
});
afterAll(() => f.server.close());

const conflict = [412, 'resource_version_conflict', undefined, false];
const unsatisfied: [string, Headers][] = [
  ['none', {}],
  ['a stale version', { 'if-match': '"1"' }],
  ['a later version', { 'if-match': '"3"' }],
  ['a version without quotes', { 'if-match': '2' }],
  ['a weak version', { 'if-match': 'W/"2"' }],
  ['any version', { 'if-match': '*' }],
  ['a list of versions', { 'if-match': '"1", "2"' }],
  ['a version with a zero before it', { 'if-match': '"02"' }],
];

describe('the precondition of an existing Resource', () => {
  it.each([
    ...unsatisfied,
    ['a create', { 'if-none-match': '*' }],
    ['another version in If-None-Match', { 'if-none-match': '"1"' }],
    ['both headers', { 'if-none-match': '*', 'if-match': '"2"' }],
  ] as [string, Headers][])('%s is 412 for preview and put', async (_, headers) => {
    expect(refusalOf(await callRoute('preview', f, { name: 'present', headers }))).toEqual(conflict);
    const of = { name: 'present', headers: { ...headers, 'idempotency-key': freshKey() } };
    expect(refusalOf(await callRoute('put', f, of))).toEqual(conflict);
    expect(refusalOf(await callRoute('import', f, of))).toEqual(conflict);
  });

  it.each(unsatisfied)('%s is 412 for observe, refresh and delete', async (_, headers) => {
    for (const route of ['observe', 'refresh', 'delete']) {
      const of = { name: 'present', headers: { ...headers, 'idempotency-key': freshKey() } };
      expect([route, ...refusalOf(await callRoute(route, f, of))]).toEqual([route, ...conflict]);
    }
    expect(resourceIn(await f.read('present')).metadata.resourceVersion).toBe('2');
  });

  it('of an import is always a create', async () => {
    expect(refusalOf(await callRoute('import', f, { name: 'present', headers: changing(2) }))).toEqual(conflict);
    expect(refusalOf(await callRoute('import', f, { name: 'absent', headers: changing(1) }))).toEqual(conflict);
  });
});

describe('the precondition without a Resource', () => {
  it.each([...unsatisfied, ['another entity tag in If-None-Match', { 'if-none-match': '"1"' }]] as [string, Headers][])(
    '%s is 412',
    async (_, headers) => {
      for (const route of ['preview', 'put', 'import']) {
        const of = { name: 'absent', headers: { ...headers, 'idempotency-key': freshKey() } };
        expect([route, ...refusalOf(await callRoute(route, f, of))]).toEqual([route, ...conflict]);
      }
    },
  );

  it('does not matter to a delete, and a look finds nothing', async () => {
    expect((await callRoute('delete', f, { name: 'absent', headers: changing(9) })).status).toBe(204);
    for (const route of ['observe', 'refresh', 'read', 'events'])
      expect(refusalOf(await callRoute(route, f, { name: 'absent', headers: changing(1) }))).toEqual([
        404,
        'resource_not_found',
        undefined,
        false,
      ]);
  });
});

describe('the metadata', () => {
  it('agrees with the path and the headers', async () => {
    const body = { ...f.desired({ name: 'present' }), review: { planDigest: noDigest } };
    const wrong: [string, object][] = [
      ['name', { ...body, metadata: { ...body.metadata, name: 'other' } }],
      ['kind', { ...body, kind: 'Other' }],
      ['apiVersion', { ...body, apiVersion: 'other/v1' }],
      ['resourceVersion', { ...body, metadata: { ...body.metadata, resourceVersion: '1' } }],
      ['no version', { ...body, metadata: { ...body.metadata, resourceVersion: '0' } }],
      ['too large a version', { ...body, metadata: { ...body.metadata, resourceVersion: '9223372036854775808' } }],
      ['no review', f.desired({ name: 'present' })],
    ];
    for (const [what, sent] of wrong) {
      const answer = await f.send('PUT', f.at('present'), { body: sent, headers: changing(2) });
      expect([what, answer.status, errorOf(answer).code]).toEqual([what, 400, 'invalid_argument']);
    }
  });

  it('may repeat the version of If-Match', async () => {
    const body = f.desired({ name: 'present' });
    const more = { metadata: { ...body.metadata, resourceVersion: '2' } };
    expect((await callRoute('preview', f, { name: 'present', headers: changing(2), more })).status).toBe(200);
  });
});

describe('the review', () => {
  const digestOf = async (spec: object, headers: Headers, name = 'present') =>
    ((await f.preview(f.desired({ name, spec }), headers)).json as { review: { planDigest: string } }).review
      .planDigest;
  it.each(['another spec', 'another name', 'nothing'])('of %s is 412', async (what) => {
    const digest = {
      'another spec': await digestOf({ size: 99 }, changing(2)),
      'another name': await digestOf({ size: 1 }, creating(), 'unwritten'),
      nothing: noDigest,
    }[what];
    const of = { name: 'present', headers: changing(2), more: { review: { planDigest: digest } } };
    expect(refusalOf(await callRoute('put', f, of))).toEqual(conflict);
  });

  it('of an earlier version is 412 also when the spec is the same', async () => {
    await f.apply({ name: 'moving' });
    const planDigest = await digestOf({ size: 1 }, changing(1), 'moving');
    await f.apply({ name: 'moving' }, changing(1));
    const of = { name: 'moving', headers: changing(2), more: { review: { planDigest } } };
    expect(refusalOf(await callRoute('put', f, of))).toEqual(conflict);
  });
});

describe('the Idempotency-Key', () => {
  const shapeless = ['short', 'a'.repeat(129), '-starts-with-a-dash', 'has space in it', 'ä'.repeat(9), 'a,b,c,d,e,f'];
  it.each(['put', 'import', 'observe', 'refresh', 'delete'])('is required of %s, in its shape', async (route) => {
    const isBody = route === 'put' || route === 'import';
    const conditions: Headers = isBody ? { 'if-none-match': '*' } : { 'if-match': '"2"' };
    for (const key of [undefined, ...shapeless]) {
      const headers = {
        ...conditions,
        ...(key !== undefined && { 'idempotency-key': Buffer.from(key).toString('latin1') }),
      };
      for (const name of ['present', 'absent'])
        expect(refusalOf(await callRoute(route, f, { name, headers }))).toEqual([
          400,
          'invalid_argument',
          undefined,
          false,
        ]);
    }
  });

  it('of two operations on two Resources at once counts for one of them', async () => {
    const [one, two] = ['twin-one', 'twin-two'].map((name) => f.desired({ name }));
    const bodies = await Promise.all(
      [one, two].map(async (body) => ({
        ...body,
        review: ((await f.preview(body ?? {}, { 'if-none-match': '*' })).json as { review: { planDigest: string } })
          .review,
      })),
    );
    const key = freshKey();
    const put = (body: (typeof bodies)[number]) =>
      f.send('PUT', f.at(body.metadata?.name), {
        body: { ...body, review: { planDigest: body.review.planDigest } },
        headers: creating(key),
      });
    const answers = await Promise.all(bodies.map(put));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  it('repeated at once is done once', async () => {
    const body = f.desired({ name: 'repeated' });
    const { review } = (await f.preview(body, { 'if-none-match': '*' })).json as { review: { planDigest: string } };
    const headers = creating();
    const put = () => f.put({ ...body, review: { planDigest: review.planDigest } }, headers);
    const answers = await Promise.all([put(), put(), put(), put()]);
    expect(answers.map(({ status, headers: { etag } }) => [status, etag])).toEqual(answers.map(() => [200, '"1"']));
    expect((await f.events('repeated')).json).toMatchObject({ events: [{ action: 'resource.apply.succeeded' }] });
  });

  it('with another operation, Resource or body is 412', async () => {
    const key = freshKey();
    await f.apply({ name: 'keyed' }, creating(key));
    const headers = changing(1, key);
    for (const route of ['observe', 'refresh', 'delete'])
      expect([route, ...refusalOf(await callRoute(route, f, { name: 'keyed', headers }))]).toEqual([
        route,
        ...conflict,
      ]);
    expect(refusalOf(await callRoute('put', f, { name: 'keyed', headers, spec: { size: 9 } }))).toEqual(conflict);
    expect(refusalOf(await callRoute('import', f, { name: 'other', headers: creating(key) }))).toEqual(conflict);
  });

  it('is free again after a refused operation', async () => {
    const key = freshKey();
    expect(statusOf(await callRoute('put', f, { name: 'later', headers: creating(key) }))).toEqual([
      412,
      'resource_version_conflict',
    ]);
    expect((await f.apply({ name: 'later' }, creating(key))).status).toBe(200);
  });

  it('is of one principal', async () => {
    const key = freshKey();
    await f.apply({ name: 'of-owner' }, creating(key));
    const { token } = await f.server.join('admin');
    const headers = { authorization: `Bearer ${token}`, ...changing(1, key) };
    expect((await callRoute('observe', f, { name: 'of-owner', headers })).status).toBe(200);
  });

  it('of an import answers the Resource again', async () => {
    fs.writeFileSync(path.join(nativeDirOf(f.dataDir), 'adopted.json'), '{"spec":{"size":4}}');
    const key = freshKey();
    const first = await f.import('adopted', { name: 'imported' }, creating(key));
    const again = await f.import('adopted', { name: 'imported' }, creating(key));
    expect([first.status, again.status, again.json]).toEqual([200, 200, first.json]);
    expect(statusOf(await f.import('another', { name: 'imported' }, creating(key)))).toEqual([
      412,
      'resource_version_conflict',
    ]);
  });
});

it('two imports of one native object at once give it to one Resource', async () => {
  fs.writeFileSync(path.join(nativeDirOf(f.dataDir), 'wanted.json'), '{"spec":{"size":4}}');
  const names = ['racer-1', 'racer-2', 'racer-3', 'racer-4'];
  const answers = await Promise.all(names.map((name) => f.import('wanted', { name })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  const { resources } = (await f.send('GET', `${formHostPath}/resources?space=${f.server.workspaceId}`)).json as {
    resources: { metadata: { name: string } }[];
  };
  expect(resources.filter(({ metadata }) => metadata.name.startsWith('racer')).length).toBe(1);
});
