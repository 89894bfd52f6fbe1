import { expect, it } from 'vitest';
import { readRunsSearch } from './search.ts';

const capsule = `cap_${'0'.repeat(26)}`;

it('reads the filters of the list from the address', () => {
  const search = { q: 'web', status: 'failed', type: 'plan', awaits: 'apply', capsule };
  expect(readRunsSearch(search)).toEqual(search);
});

it('leaves out a filter that cannot match anything', () => {
  expect(readRunsSearch({ status: 'broken', type: 'x', awaits: 'me', capsule: 'cap_x', q: ['a', 'b'] })).toEqual({});
});
