import { expect, it } from 'vitest';
import { readRunSearch } from './search.ts';

it('reads the other plan only where plans are compared', () => {
  const plan = `plan_${'0'.repeat(16)}`;
  expect(readRunSearch({ tab: 'compare', with: plan })).toEqual({ tab: 'compare', with: plan });
  expect(readRunSearch({ tab: 'compare', with: 'plan_x' })).toEqual({ tab: 'compare' });
  expect(readRunSearch({ tab: 'log', with: plan })).toEqual({ tab: 'log' });
});
