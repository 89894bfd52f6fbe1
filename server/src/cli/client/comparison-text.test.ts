import { expect, it } from 'vitest';
import type { PlanComparison } from '#shared/plans/comparison';
import { comparisonText } from './comparison-text.ts';
import { createPaint } from './terminal.ts';

const plain = createPaint(false);
const configuration = { source: 'configuration' } as const;
const compared = (over: Partial<PlanComparison>): PlanComparison => ({
  earlier: { runId: 'plan_1', createdAt: '2026-01-01T00:00:00.000Z', summary: { add: 1, change: 0, destroy: 0 } },
  later: { runId: 'plan_2', createdAt: '2026-01-02T00:00:00.000Z', summary: { add: 0, change: 1, destroy: 0 } },
  ...{ inputs: [], bindings: [], resources: [], outputs: [], resourceCount: 0, sameCount: 0 },
  ...over,
});
const linesOf = (over: Partial<PlanComparison>) => comparisonText(compared(over), plain).lines;

it('says so when two plans do the same', () => {
  expect(linesOf({ sameCount: 2 }).slice(-3)).toEqual([
    'Both plans do the same.',
    '',
    'Changed alike by both plans, and not listed: 2',
  ]);
});

it('lists inputs with both values, and secrets by name only', () => {
  const lines = linesOf({
    inputs: [
      {
        ...{ name: 'size', difference: 'changed', secret: false },
        before: { origin: configuration, value: 2 },
        after: { origin: configuration, value: 3 },
      },
      { name: 'token', difference: 'added', secret: true, after: { origin: configuration } },
    ],
    bindings: [{ providerSource: 'example.org/cloud', providerName: 'cloud', after: 'conn_1' }],
  });
  expect(lines).toContain('  changed        size: 2 -> 3');
  expect(lines).toContain('  set            token: (secret)');
  expect(lines).toContain('  set            Connection of cloud: no Connection -> conn_1');
});

it('lists resources with the actions and results of both plans', () => {
  const lines = linesOf({
    resources: [
      {
        ...{ address: 'test_thing.a', type: 'test_thing', name: 'a', providerName: 'p', mode: 'managed' },
        difference: 'changed',
        earlier: { actions: ['update'] },
        later: { actions: ['delete', 'create'] },
        before: { size: 1, id: { $svc: 'unknown' }, key: { $svc: 'sensitive' } },
        after: { size: 2, id: 'x', key: { $svc: 'sensitive', comparable: false } },
      },
    ],
    resourceCount: 1,
  });
  expect(lines.slice(-4)).toEqual([
    '  differs        test_thing.a (~ -> -/+)',
    '      size: 1 -> 2',
    '      id: (known after apply) -> "x"',
    '      key: (sensitive) -> (sensitive, not comparable)',
  ]);
});
