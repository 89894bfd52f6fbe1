import { describe, expect, it } from 'vitest';
import { readActivitySearch } from '../components/activity/search.ts';
import { readRunsSearch } from '../components/runs/search.ts';
import { readCapsulesSearch } from '../features/capsules/search.ts';
import { readFilters } from './filters.ts';

describe('readFilters', () => {
  it('leaves out unknown names that the router adds from the URL', () => {
    const search = { status: 'failed', utm_source: 'mail', limit: '9' };
    expect(readFilters(readRunsSearch, ['status'], search)).toEqual({ search: { status: 'failed' }, isUnknown: false });
  });

  type Reader = (search: Record<string, unknown>) => object;
  it.each<[Reader, Record<string, unknown>]>([
    [readRunsSearch, { status: 'foo' }],
    [readRunsSearch, { capsule: 'nothing' }],
    [readRunsSearch, { q: ['a', 'b'] }],
    [readActivitySearch, { kind: 'nope' }],
    [readCapsulesSearch, { status: 'foo' }],
  ])('knows a filter with a value that does not exist: %o %j', (read, search) => {
    expect(readFilters(read, Object.keys(search), search).isUnknown).toBe(true);
  });

  it('ignores an empty filter', () => {
    expect(readFilters(readRunsSearch, ['status', 'q'], { status: '', q: '' })).toEqual({
      search: {},
      isUnknown: false,
    });
  });
});
