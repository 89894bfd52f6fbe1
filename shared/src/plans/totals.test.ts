import { expect, it } from 'vitest';
import { PlanSummary } from './summary.ts';
import {
  countDestructive,
  countObjectActions,
  isEmptySummary,
  isWholePlan,
  maxPlanResources,
  summarize,
} from './totals.ts';

it('totals count as the tool does: a replace twice, and no data source', () => {
  const summary = summarize([
    { mode: 'managed', actions: ['delete', 'create'] },
    { mode: 'managed', actions: ['forget', 'create'] },
    { mode: 'managed', actions: ['update'], importing: { id: 'x' } },
    { mode: 'managed', actions: ['no-op'] },
    { mode: 'data', actions: ['read'] },
  ]);
  expect(PlanSummary.parse(summary)).toEqual({ add: 2, change: 1, destroy: 1, import: 1, forget: 1 });
  expect([countObjectActions(summary), countDestructive(summary)]).toEqual([4, 2]);
});

it('totals are empty only without an import or a forget', () => {
  const none = { add: 0, change: 0, destroy: 0 };
  expect([none, { ...none, import: 0 }].map(isEmptySummary)).toEqual([true, true]);
  expect(
    [
      { ...none, import: 1 },
      { ...none, forget: 1 },
      { ...none, add: 1 },
    ].map(isEmptySummary),
  ).toEqual([...[false, false, false]]);
});

it('a Run that carries as many changes as it can may lack others', () => {
  const changes = Array.from({ length: maxPlanResources }, (_, at) => ({
    address: `data.a.b[${at}]`,
    type: 'a',
    actions: ['read' as const],
  }));
  expect([isWholePlan(changes), isWholePlan(changes.slice(1))]).toEqual([false, true]);
});
