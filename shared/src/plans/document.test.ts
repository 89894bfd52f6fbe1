import { describe, expect, it } from 'vitest';
import { ExactNumber } from '../kernel/exact-number.ts';
import { type PlanDocument, parsePlanDocument } from './document.ts';

const resource = (address: string, over: object = {}) => ({
  ...{ address, type: 't', name: 'n', providerName: 'registry/x/y', mode: 'managed', actions: ['update'] },
  ...{ before: null, after: {}, afterUnknown: {}, beforeSensitive: false, afterSensitive: {} },
  ...over,
});
const document = (over: object = {}) => ({
  ...{ formatVersion: '1', toolVersion: '1.12.6', summary: { add: 0, change: 3, destroy: 0 } },
  ...{ resources: ['a.a', 'a.b', 'a.c'].map((address) => resource(address)), outputs: [], drift: [], diagnostics: [] },
  ...{ resourceCount: 3, unchangedCount: 0 },
  ...over,
});
const parse = (over: object, page?: Parameters<typeof parsePlanDocument>[1]) =>
  parsePlanDocument(JSON.stringify(document(over)), page);
const addressesOf = ({ resources }: PlanDocument) => resources.map(({ address }) => address);

describe('a plan document', () => {
  it('is parsed with every member', () => {
    const optional = {
      ...{ moduleAddress: 'module.m', actionReason: 'replace_by_request', previousAddress: 'a.old', deposed: 'd1' },
      ...{ replacePaths: [['a', 0]], importing: {} },
    };
    const whole = document({ resources: [resource('a.a', optional)], drift: [resource('a.b')] });
    expect(parsePlanDocument(JSON.stringify(whole))).toEqual(whole);
  });

  it('keeps every digit of its numbers', () => {
    const text = JSON.stringify(document()).replace('"after":{}', '"after":{"big":9007199254740993}');
    expect(parsePlanDocument(text).resources[0]?.after).toEqual({ big: ExactNumber.read('9007199254740993') });
  });

  it('is read page by page, with the start of the next page', () => {
    const first = parse({}, { after: 0, limit: 2 });
    expect([addressesOf(first), first.nextAfter, first.resourceCount]).toEqual([['a.a', 'a.b'], 2, 3]);
    const last = parse({}, { after: 2, limit: 2 });
    expect([addressesOf(last), last.nextAfter]).toEqual([['a.c'], undefined]);
  });

  it.each<[string, object, string]>([
    ['an unknown action', { resources: [resource('a.a', { actions: ['melt'] })] }, 'resources.0.actions.0'],
    ['an unknown member', { resources: [resource('a.a', { secret: 1 })] }, 'resources.0'],
    ['a missing side', { resources: [resource('a.a', { after: undefined })] }, 'resources.0.after'],
    ['no resources', { resources: undefined }, 'resources'],
    ['another format', { formatVersion: '2' }, 'formatVersion'],
  ])('is refused for %s, with the location and no value', (_, over, path) => {
    for (const page of [undefined, { after: 0, limit: 1 }])
      expect(() => parse(over, page)).toThrow(`A plan document does not have its form at "${path}". Plan again.`);
  });
});
