import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/kernel/json';
import {
  changing,
  creating,
  type FormHostFixture,
  nativeDirOf,
  resourceIn,
  startFormHost,
} from '../../../test/form-host.ts';
import { formPackage, identityOf } from '../../../test/form-package.ts';
import { bodyRoutes, callRoute, errorOf, refusalOf } from '../../../test/form-rules.ts';
import { planDigestOf } from './digests.ts';

/** Is part of every submitted text: no refusal may repeat it. */
const mark = 'canary7f31';
const open = formPackage({
  formRef: { ...formPackage().formRef, kind: 'Anything' },
  desiredSchema: { type: 'object' },
});
const slow = formPackage({
  formRef: { ...formPackage().formRef, kind: 'Slow' },
  desiredSchema: { type: 'object', properties: { text: { type: 'string', pattern: '^(a|a)*$' } } },
});

let f: FormHostFixture;
beforeAll(async () => {
  f = await startFormHost({ packages: [formPackage(), open, slow] });
});
afterAll(() => f.server.close());

const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const ofKind = (form: ReturnType<typeof identityOf>) => ({ form, more: { kind: form.formRef.kind } });
/** Sends a spec as text, because no value of JavaScript is written like some of them. */
const putText = (spec: string, form = identityOf(open)) => {
  const body = JSON.stringify({ ...f.desired({ name: 'hostile', form, spec: { at: 'here' } }) });
  return f.server.raw({
    method: 'POST',
    path: f.at('').replace('Bucket/', 'preview'),
    headers: {
      authorization: `Bearer ${f.server.token}`,
      'content-type': 'application/json',
      'if-none-match': '*',
    },
    body: body.replace('{"at":"here"}', spec),
  });
};

/** Writes a spec under the digest of its review, which no preview of an invalid one returns. */
const putReviewed = (spec: object) => {
  const body = f.desired({ name: 'refused', spec });
  const planDigest = planDigestOf({
    workspaceId: f.server.workspaceId,
    kind: body.kind,
    name: body.metadata.name,
    form: body.form,
    base: 0,
    spec: spec as JsonObject,
  });
  return f.put({ ...body, review: { planDigest } }, creating());
};

const invalidSpecs: [string, object, unknown][] = [
  ['a wrong type', { size: mark }, '/spec/size'],
  ['a wrong pattern', { size: 1, region: `${mark}!` }, '/spec/region'],
  ['a missing member', {}, '/spec'],
  ['an unknown member', { size: 1, more: mark }, expect.stringMatching(/^\/spec/)],
];

describe.each(bodyRoutes)('%s refuses', (route) => {
  it.each(invalidSpecs)('a spec with %s, and repeats no value', async (_, spec, field) => {
    const answer =
      route === 'put'
        ? await putReviewed(spec)
        : await callRoute(route, f, { name: 'refused', spec, headers: creating() });
    expect([...refusalOf(answer), errorOf(answer).details?.field]).toEqual([
      400,
      'invalid_argument',
      undefined,
      false,
      field,
    ]);
    expect(answer.text).not.toContain(mark);
  });
});

it.each([
  `Bearer ${mark}12345678`,
  `ghp_${mark}1234567890`,
  `sk-${mark}123456`,
  `https://user:${mark}1@host.example/`,
  `password=${mark}1`,
  `-----BEGIN RSA PRIVATE KEY-----${mark}`,
])('a spec with something like the credential %s is 400 with its reason', async (endpoint) => {
  for (const route of ['preview', 'import']) {
    const answer = await callRoute(route, f, { name: 'secret', spec: { size: 1, endpoint } });
    expect([answer.status, errorOf(answer).details]).toEqual([
      400,
      { reason: 'secret_like_value', field: '/spec/endpoint' },
    ]);
    expect(answer.text).not.toContain(mark);
  }
});

describe('a hostile spec', () => {
  it.each([
    ['deeper than bounded JSON', nested(33)],
    ['deeper than a request', nested(65)],
    ['with the key __proto__', `{"__proto__":{"polluted":"${mark}"}}`],
    ['with a hidden key __proto__', `{"a":{"\\u005f_proto__":{"polluted":"${mark}"}}}`],
    ['with a key twice', '{"a":1,"\\u0061":2}'],
    ['with too many nodes', `{"a":[${'1,'.repeat(4_100)}1]}`],
    ['with a text that is too long', `{"a":"${'x'.repeat(32_769)}"}`],
    ['with a key that is too long', `{"${'k'.repeat(257)}":1}`],
    ['with a number of too many digits', `{"a":${'9'.repeat(32_769)}}`],
    ['with a number that is no double', '{"a":1e400}'],
    ['with more digits than a double has', '{"a":12345678901234567890.5}'],
    ['that is a list', '[1]'],
    ['that is null', 'null'],
    ['that is not JSON', '{"a":NaN}'],
  ])('%s is refused with a sentence', async (_, spec) => {
    const answer = await putText(spec);
    expect([answer.status, errorOf(answer).code, errorOf(answer).message]).toEqual([
      400,
      'invalid_argument',
      expect.stringMatching(/^[A-Z].*\.$/s),
    ]);
    expect(answer.text).not.toContain(mark);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it.each([
    ['with members named like those of every object', '{"constructor":{"prototype":{"a":1}},"toString":1,"valueOf":2}'],
    ['with the largest exact number', '{"a":9007199254740991,"b":-1.5}'],
    ['at the bounds', nested(32)],
    ['with an empty key', '{"":{"":1}}'],
  ])('%s is kept as it is', async (_, spec) => {
    const answer = await putText(spec);
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining(`"spec":${spec}`)]);
  });

  it('with half a surrogate pair is kept or refused, and never breaks the ledger', async () => {
    const answer = await putText('{"a":"\\ud800","\\udc00":1}');
    expect([200, 400]).toContain(answer.status);
    if (answer.status === 200) {
      const spec = JSON.parse('{"a":"\\ud800","\\udc00":1}') as object;
      const created = await f.apply({ name: 'halves', kind: 'Anything', form: identityOf(open), spec });
      expect([created.status, resourceIn(created).spec]).toEqual([200, spec]);
      expect(resourceIn(await f.read('halves', identityOf(open))).status?.observed.driftedFields).toEqual([]);
    }
  });

  it('against an exponential pattern is refused in bounded time, and the server works on', async () => {
    const text = `${'a'.repeat(200)}!${mark}`;
    const started = performance.now();
    const answer = await callRoute('preview', f, { name: 'slow', spec: { text }, ...ofKind(identityOf(slow)) });
    expect([400, 503]).toContain(answer.status);
    expect(performance.now() - started).toBeLessThan(60_000);
    expect(answer.text).not.toContain(mark);
    expect((await f.apply({ name: 'after' })).status).toBe(200);
    expect((await f.apply({ name: 'after' }, changing(1))).status).toBe(200);
  });
});

it('what was refused left nothing behind', async () => {
  const files = fs.existsSync(nativeDirOf(f.dataDir)) ? fs.readdirSync(nativeDirOf(f.dataDir)) : [];
  const rows = f.server.ledger(({ sqlite }) => sqlite.prepare('SELECT native_id FROM form_resources').pluck().all());
  expect(files.map((file) => path.basename(file, '.json')).sort()).toEqual([...rows].sort());
});
