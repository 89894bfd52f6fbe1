import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formHostPath } from '#shared/vendor';
import { changing, creating, type FormHostFixture, startFormHost, statusOf } from '../../../test/form-host.ts';
import { formPackage, identityOf } from '../../../test/form-package.ts';
import { callRoute, exactRoutes, partial, refusalOf, substituted } from '../../../test/form-rules.ts';

const withVersion = (definitionVersion: string, members: object = {}) =>
  formPackage({ formRef: { ...formPackage().formRef, definitionVersion }, ...members });
const packages = {
  usual: formPackage(),
  newer: withVersion('9.0.0'),
  gone: withVersion('2.0.0'),
  notExecutable: withVersion('3.0.0', { executable: false }),
  notActivated: withVersion('4.0.0', { activation: { spaces: [] } }),
  elsewhere: withVersion('5.0.0', { activation: { spaces: ['ws_01ARZ3NDEKTSV4RRFFQ69G5FAV'] } }),
  onlyPreview: withVersion('6.0.0', { operations: ['preview'] }),
};

let f: FormHostFixture;
beforeAll(async () => {
  f = await startFormHost({ packages: Object.values(packages) });
  await f.apply({ name: 'present' });
  fs.rmSync(path.join(f.dataDir, 'forms', `package-${Object.keys(packages).indexOf('gone')}.json`));
  await f.server.restart();
});
afterAll(() => f.server.close());

const usual = identityOf(packages.usual);

describe.each(exactRoutes)('%s', (route) => {
  it.each(substituted(usual))('of an existing Resource refuses another %s with 409', async (_, form) => {
    const answer = await callRoute(route, f, { name: 'present', form });
    expect(refusalOf(answer)).toEqual([409, 'form_identity_conflict', undefined, false]);
  });

  it.each(substituted(usual))('without a Resource refuses an unknown %s with 404', async (_, form) => {
    const answer = await callRoute(route, f, { name: 'absent', form });
    expect(refusalOf(answer)).toEqual([404, 'form_unknown', undefined, false]);
  });

  it('never takes another version of the form for the one of the Resource', async () => {
    const answer = await callRoute(route, f, { name: 'present', form: identityOf(packages.newer) });
    expect(statusOf(answer)).toEqual([409, 'form_identity_conflict']);
  });

  it.each(partial(usual))('refuses a reference without %s with 400', async (_, form) => {
    for (const name of ['present', 'absent'])
      expect(refusalOf(await callRoute(route, f, { name, form }))).toEqual([
        400,
        'invalid_argument',
        'invalid_request',
        false,
      ]);
  });

  it('refuses an empty space with 400', async () => {
    expect(statusOf(await callRoute(route, f, { name: 'present', space: '' }))).toEqual([400, 'invalid_argument']);
  });
});

describe('the list of forms', () => {
  const list = (query: Record<string, string | undefined>) => {
    const present = Object.entries({ space: f.server.workspaceId, ...query }).filter(
      (pair): pair is [string, string] => pair[1] !== undefined,
    );
    return f.send('GET', `${formHostPath}/forms?${new URLSearchParams(present)}`);
  };

  it.each(partial(usual))('refuses a filter without %s with 400', async (_, { formRef, packageDigest }) => {
    expect(statusOf(await list({ ...formRef, packageDigest }))).toEqual([400, 'invalid_argument']);
  });

  it.each(substituted(usual))('finds nothing for another %s', async (_, { formRef, packageDigest }) => {
    expect((await list({ ...formRef, packageDigest })).json).toEqual({ forms: [] });
  });

  it('finds exactly the form of all five names', async () => {
    const { forms } = (await list({ ...usual.formRef, packageDigest: usual.packageDigest })).json as {
      forms: object[];
    };
    expect(forms).toEqual([
      {
        identity: usual,
        definitionKnown: true,
        installed: true,
        executable: true,
        activated: true,
        availableToPrincipal: true,
        operations: packages.usual.operations,
        deprecated: false,
      },
    ]);
  });

  it('gives the reason for each form that cannot be used', async () => {
    const { forms } = (await list({})).json as {
      forms: { identity: object; executableReason?: string; availabilityReason?: string }[];
    };
    const reasonsOf = (one: keyof typeof packages) => {
      const form = forms.find(({ identity }) => JSON.stringify(identity) === JSON.stringify(identityOf(packages[one])));
      return [form?.executableReason, form?.availabilityReason].map((reason) => reason !== undefined);
    };
    expect(forms.length).toBe(Object.keys(packages).length);
    expect(Object.keys(packages).map((one) => [one, ...reasonsOf(one as keyof typeof packages)])).toEqual([
      ['usual', false, false],
      ['newer', false, false],
      ['gone', true, true],
      ['notExecutable', true, true],
      ['notActivated', false, true],
      ['elsewhere', false, true],
      ['onlyPreview', false, false],
    ]);
  });
});

describe.each(['preview', 'put', 'import'])('%s of a form that', (route) => {
  it.each([
    ['is known and not installed is 409', packages.gone, [409, 'form_not_installed', undefined, false]],
    ['is not executable is 503', packages.notExecutable, [503, 'form_unavailable', undefined, true]],
    ['is not activated is 503', packages.notActivated, [503, 'form_unavailable', undefined, true]],
    ['is activated for others is 403', packages.elsewhere, [403, 'policy_denied', undefined, false]],
  ])('%s', async (_, one, refusal) => {
    expect(refusalOf(await callRoute(route, f, { name: 'absent', form: identityOf(one) }))).toEqual(refusal);
  });
});

it('an operation that the form does not support is 403', async () => {
  const form = identityOf(packages.onlyPreview);
  expect((await callRoute('preview', f, { name: 'absent', form })).status).toBe(200);
  for (const route of ['put', 'import'])
    expect(refusalOf(await callRoute(route, f, { name: 'absent', form }))).toEqual([
      403,
      'policy_denied',
      undefined,
      false,
    ]);
});

it('a Resource stays readable and deletable when its form is taken away', async () => {
  const g = await startFormHost({ packages: [packages.usual] });
  try {
    await g.apply({ name: 'orphan' });
    fs.rmSync(path.join(g.dataDir, 'forms', 'package-0.json'));
    await g.server.restart();
    expect((await g.read('orphan')).status).toBe(200);
    expect((await g.events('orphan')).status).toBe(200);
    expect((await g.look('orphan', 'observe', changing(1))).status).toBe(200);
    expect((await g.look('orphan', 'refresh', changing(1))).status).toBe(200);
    expect(statusOf(await g.apply({ name: 'orphan' }, changing(1)))).toEqual([409, 'form_not_installed']);
    expect(statusOf(await g.apply({ name: 'another' }, creating()))).toEqual([409, 'form_not_installed']);
    expect((await g.remove('orphan', changing(1))).status).toBe(204);
  } finally {
    await g.server.close();
  }
});

it('an operation that the form of a Resource does not support is 403', async () => {
  const reduced = formPackage({ operations: ['preview', 'apply'] });
  const g = await startFormHost({ packages: [reduced] });
  try {
    await g.apply({ name: 'kept' });
    for (const route of ['observe', 'refresh', 'delete'])
      expect(refusalOf(await callRoute(route, g, { name: 'kept', headers: changing(1) }))).toEqual([
        403,
        'policy_denied',
        undefined,
        false,
      ]);
  } finally {
    await g.server.close();
  }
});
