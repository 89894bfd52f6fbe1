import { describe, expect, it } from 'vitest';
import type { PlanDocument, PlanOutput, PlanResource } from '#shared/plans/document';
import { comparePlans } from './compare-plans.ts';
import { restoreDigests, takeDigests } from './sensitive-digests.ts';

const change = (address: string, more: Partial<PlanResource> = {}): PlanResource => ({
  address,
  type: 'test_thing',
  name: address.split('.')[1] ?? '',
  providerName: 'example.org/test',
  mode: 'managed',
  actions: ['update'],
  before: { size: 1 },
  after: { size: 2 },
  afterUnknown: {},
  beforeSensitive: {},
  afterSensitive: {},
  ...more,
});
const output = (name: string, after: string): PlanOutput => ({
  ...{ name, actions: ['update'], before: 'a', after, afterUnknown: false, sensitive: false },
});
const plan = (resources: PlanResource[], outputs: PlanOutput[] = []): PlanDocument => ({
  ...{
    formatVersion: '1',
    toolVersion: '1.12.6',
    summary: { add: 0, change: 0, destroy: 0 },
    drift: [],
    diagnostics: [],
  },
  ...{ resources, outputs, resourceCount: resources.length, unchangedCount: 0 },
});
const shape = (earlier: PlanDocument, later: PlanDocument) =>
  comparePlans(earlier, later).resources.map(({ address, difference }) => [address, difference]);

describe('two plans', () => {
  it('without a difference have none, and count what is the same', () => {
    const one = plan([change('test_thing.a'), change('test_thing.b')], [output('url', 'b')]);
    expect(comparePlans(one, structuredClone(one))).toEqual({ resources: [], outputs: [], sameCount: 2 });
  });

  it('differ in resources that only one of them changes, in results and in actions', () => {
    const earlier = plan([change('test_thing.gone'), change('test_thing.size'), change('test_thing.act')]);
    const later = plan([
      change('test_thing.size', { after: { size: 3 } }),
      change('test_thing.act', { actions: ['delete', 'create'] }),
      change('test_thing.new', { actions: ['create'], before: null }),
    ]);
    expect(shape(earlier, later)).toEqual([
      ['test_thing.act', 'changed'],
      ['test_thing.new', 'added'],
      ['test_thing.size', 'changed'],
      ['test_thing.gone', 'removed'],
    ]);
  });

  it('show the results of both', () => {
    const [resource] = comparePlans(
      plan([change('test_thing.a', { afterUnknown: { id: true } })]),
      plan([change('test_thing.a', { after: { size: 3 } })]),
    ).resources;
    expect(resource).toMatchObject({
      earlier: { actions: ['update'] },
      later: { actions: ['update'] },
      before: { size: 2, id: { $svc: 'unknown' } },
      after: { size: 3 },
    });
    expect(resource?.start).toBeUndefined();
  });

  it('differ where they start from other values', () => {
    const [resource] = comparePlans(
      plan([change('test_thing.a')]),
      plan([change('test_thing.a', { before: { size: 0 } })]),
    ).resources;
    expect(resource).toMatchObject({ difference: 'changed', start: { before: { size: 1 }, after: { size: 0 } } });
  });

  it('pair a resource with the one it was moved from', () => {
    const earlier = plan([change('test_thing.old')]);
    const later = plan([change('test_thing.new', { previousAddress: 'test_thing.old' })]);
    expect(shape(earlier, later)).toEqual([['test_thing.new', 'changed']]);
  });

  it('keep a deposed object apart from the current one', () => {
    const earlier = plan([change('test_thing.a'), change('test_thing.a', { deposed: 'x', actions: ['delete'] })]);
    expect(shape(earlier, plan([change('test_thing.a')]))).toEqual([['test_thing.a', 'removed']]);
  });

  it('differ in Outputs', () => {
    const { outputs } = comparePlans(plan([], [output('url', 'b'), output('x', 'y')]), plan([], [output('url', 'c')]));
    expect(outputs).toEqual([
      { name: 'url', sensitive: false, difference: 'changed', before: 'b', after: 'c' },
      { name: 'x', sensitive: false, difference: 'removed', before: 'a', after: 'y' },
    ]);
  });
});

describe('the digests of a plan', () => {
  const mark = (digest: string) => ({ $svc: 'sensitive', digest });
  const document = plan([
    change('test_thing.a', { before: { p: mark('1') }, after: { p: { ...mark('2'), changed: true }, q: [mark('3')] } }),
  ]);

  it('are taken out of the document and put back in the same order', () => {
    const { document: shown, digests } = takeDigests(document);
    expect(digests).toEqual(['1', '2', '3']);
    expect(JSON.stringify(shown)).not.toContain('digest');
    expect(restoreDigests(shown, digests)).toEqual(document);
  });

  it('are in no difference', () => {
    const other = plan([change('test_thing.a', { before: { p: mark('1') }, after: { p: mark('9'), q: [mark('3')] } })]);
    const differences = comparePlans(document, other);
    expect(differences.resources.map(({ difference }) => difference)).toEqual(['changed']);
    expect(JSON.stringify(differences)).not.toContain('digest');
  });
});
