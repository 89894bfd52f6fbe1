import { expect, it } from 'vitest';
import type { AttentionItem } from '#shared/dashboard/attention';
import { withoutRequested } from './without-requested.ts';

const item = (kind: AttentionItem['kind'], id: string): AttentionItem => ({ kind, id, at: '2030-01-01T00:00:00.000Z' });
const attention = {
  counts: new Map([
    ['approve', 3],
    ['apply', 1],
    ['failed', 2],
  ] as const),
  items: [item('approve', 'one'), item('approve', 'two'), item('apply', 'three'), item('failed', 'four')],
};

it('leaves out each requested plan, from the count of its kind too', () => {
  const rest = withoutRequested(attention, [
    { id: 'two', awaits: 'approve' },
    { id: 'three', awaits: 'apply' },
  ]);
  expect([...rest.counts]).toEqual([
    ['approve', 2],
    ['apply', 0],
    ['failed', 2],
  ]);
  expect(rest.items.map(({ id }) => id)).toEqual(['one', 'four']);
  expect([rest.isRequested(item('approve', 'two')), rest.isRequested(item('approve', 'one'))]).toEqual([true, false]);
});

it('leaves out a requested plan that is not among the newest items, and never counts below zero', () => {
  const many = ['five', 'six', 'seven', 'eight'].map((id) => ({ id, awaits: 'approve' as const }));
  const rest = withoutRequested(attention, many);
  expect([rest.counts.get('approve'), rest.items.length]).toEqual([0, 4]);
});
