import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  changing,
  creating,
  type FormHostFixture,
  freshKey,
  startFormHost,
  statusOf,
} from '../../../test/form-host.ts';
import { formPackage, identityOf } from '../../../test/form-package.ts';
import {
  bodyRoutes,
  callRoute,
  exactRoutes,
  noDigest,
  partial,
  substituted,
  writeRoutes,
} from '../../../test/form-rules.ts';

const idle = formPackage({
  formRef: { ...formPackage().formRef, definitionVersion: '4.0.0' },
  activation: { spaces: [] },
});

let f: FormHostFixture;
let dead: FormHostFixture;
const key = freshKey();
beforeAll(async () => {
  f = await startFormHost({ packages: [formPackage(), idle] });
  dead = { ...f, send: (method, address, of) => sendDead(method, address, of) };
  await f.apply({ name: 'present' }, creating(key));
});
afterAll(() => f.server.close());

const sendDead: FormHostFixture['send'] = (method, address, { body, headers = {} } = {}) =>
  f.send(method, address, { body, headers: { ...headers, authorization: `Bearer sess_${'A'.repeat(43)}` } });

const usual = identityOf(formPackage());
const [, incomplete] = partial(usual)[0] ?? [];
const [, unknown] = substituted(usual)[4] ?? [];
const wrong = { incomplete: incomplete ?? usual, unknown: unknown ?? usual };
const nowhere = 'no-such-space';

describe.each(exactRoutes)('%s checks', (route) => {
  it('the bearer before the form reference', async () => {
    expect(statusOf(await callRoute(route, dead, { form: wrong.incomplete }))).toEqual([401, 'unauthenticated']);
  });

  it('the form reference before the space', async () => {
    const answer = await callRoute(route, f, { form: wrong.incomplete, space: nowhere });
    expect(statusOf(answer)).toEqual([400, 'invalid_argument']);
  });

  it('the space before the identity', async () => {
    const answer = await callRoute(route, f, { name: 'present', form: wrong.unknown, space: nowhere });
    expect(statusOf(answer)).toEqual([403, 'permission_denied']);
  });
});

describe.each(writeRoutes)('%s checks', (route) => {
  it('the identity before the precondition and before the idempotency', async () => {
    const isBody = bodyRoutes.includes(route);
    for (const headers of [{}, { 'idempotency-key': 'x' }, { ...changing(7), 'idempotency-key': key }]) {
      const of = { form: wrong.unknown, headers, ...(isBody && { spec: { size: 'wrong' } }) };
      expect(statusOf(await callRoute(route, f, { ...of, name: 'present' }))).toEqual([409, 'form_identity_conflict']);
      expect(statusOf(await callRoute(route, f, { ...of, name: 'absent' }))).toEqual([404, 'form_unknown']);
    }
  });
});

describe.each(bodyRoutes)('%s checks', (route) => {
  it('the availability before the precondition and the schema', async () => {
    for (const headers of [{ 'idempotency-key': freshKey() }, changing(3)]) {
      const answer = await callRoute(route, f, {
        name: 'new',
        form: identityOf(idle),
        headers,
        spec: { size: 'wrong' },
      });
      expect(statusOf(answer)).toEqual([503, 'form_unavailable']);
    }
  });

  it('the precondition before the schema', async () => {
    for (const headers of [{ 'idempotency-key': freshKey() }, changing(3), creating()]) {
      const answer = await callRoute(route, f, { name: 'present', headers, spec: { size: 'wrong' } });
      expect(statusOf(answer)).toEqual([412, 'resource_version_conflict']);
    }
  });
});

it('put checks the review before the schema', async () => {
  const answer = await callRoute('put', f, {
    name: 'new',
    spec: { size: 'wrong' },
    more: { review: { planDigest: noDigest } },
  });
  expect(statusOf(answer)).toEqual([412, 'resource_version_conflict']);
});

it('put recognizes a repeated operation before the precondition, the review and the schema', async () => {
  const again = await callRoute('put', f, { name: 'present', headers: { 'idempotency-key': key }, spec: { size: 1 } });
  expect(again.status).toBe(200);
  const other = await callRoute('put', f, { name: 'present', headers: creating(key), spec: { size: 'wrong' } });
  expect(statusOf(other)).toEqual([412, 'resource_version_conflict']);
});

it('import checks the schema before the native object', async () => {
  expect(statusOf(await callRoute('import', f, { name: 'new', spec: { size: 'wrong' } }))).toEqual([
    400,
    'invalid_argument',
  ]);
  expect(statusOf(await callRoute('import', f, { name: 'new' }))).toEqual([404, 'resource_not_found']);
});
