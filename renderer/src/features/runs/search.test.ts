import { expect, it } from 'vitest';
import { readRunSearch } from './search.ts';

it('reads the other plan only where plans are compared', () => {
  const plan = `plan_${'0'.repeat(16)}`;
  expect(readRunSearch({ tab: 'compare', with: plan })).toEqual({ tab: 'compare', with: plan });
  expect(readRunSearch({ tab: 'compare', with: 'plan_x' })).toEqual({ tab: 'compare' });
  expect(readRunSearch({ tab: 'log', with: plan })).toEqual({ tab: 'log' });
});

it('reads the view of a plan from the address', () => {
  const search = { tab: 'plan', q: 'web', kinds: 'delete,replace', open: ['a.b', 'output url'] };
  expect(readRunSearch(search)).toEqual(search);
});

it('leaves out what no plan can show', () => {
  expect(readRunSearch({ tab: 'x', q: ['a'], kinds: 'destroy,create', open: { a: 1 } })).toEqual({ kinds: 'create' });
});
