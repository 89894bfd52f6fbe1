import { expect, it } from 'vitest';
import { readRunSearch, readRunsSearch } from './search.ts';

const capsule = `cap_${'0'.repeat(26)}`;

it('reads the filters of the list from the address', () => {
  const search = { q: 'web', status: 'failed', type: 'plan', awaits: 'apply', capsule };
  expect(readRunsSearch(search)).toEqual(search);
});

it('leaves out a filter that cannot match anything', () => {
  expect(readRunsSearch({ status: 'broken', type: 'x', awaits: 'me', capsule: 'cap_x', q: ['a', 'b'] })).toEqual({});
});

it('reads the other plan only where plans are compared', () => {
  const plan = `plan_${'0'.repeat(16)}`;
  expect(readRunSearch({ tab: 'compare', with: plan })).toEqual({ tab: 'compare', with: plan });
  expect(readRunSearch({ tab: 'compare', with: 'plan_x' })).toEqual({ tab: 'compare' });
  expect(readRunSearch({ tab: 'log', with: plan })).toEqual({ tab: 'log' });
});
