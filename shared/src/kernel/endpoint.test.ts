import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineApi, mergeApis, nothingLeft, type QueryOf } from './endpoint.ts';

const reply = { summary: '', class: 'R', replies: {} } as const;
const runs = defineApi({
  listRuns: {
    ...reply,
    method: 'GET',
    path: '/runs',
    query: z.object({ limit: z.number(), status: z.string().optional() }),
  },
});
const capsules = defineApi({ listCapsules: { ...reply, method: 'GET', path: '/capsules' } });

describe('nothingLeft', () => {
  it('does not compile while a member of a request is not read', () => {
    const query: QueryOf<typeof runs.listRuns> = { limit: 1 };
    const { limit, status, ...none } = query;
    nothingLeft(none);
    const { limit: _limit, ...optional } = query;
    // @ts-expect-error -- `status` is left, although it is optional
    nothingLeft(optional);
    const { status: _status, ...required } = query;
    // @ts-expect-error -- `limit` is left
    nothingLeft(required);
    expect([limit, status]).toEqual([1, undefined]);
  });

  it('does not compile while a member of one alternative is not read', () => {
    const left = ({ type, ...rest }: { type: 'plan' } | { type: 'sync'; lane?: string }) => {
      // @ts-expect-error -- a sync has a `lane`
      nothingLeft(rest);
      return type;
    };
    expect(left({ type: 'plan' })).toBe('plan');
  });
});

describe('mergeApis', () => {
  it('keeps the order of the tables', () => {
    expect(Object.keys(mergeApis(runs, capsules))).toEqual(['listRuns', 'listCapsules']);
  });

  it('does not compile for two endpoints of the same name', () => {
    // @ts-expect-error -- both tables have `listRuns`
    mergeApis(runs, capsules, runs);
  });
});
