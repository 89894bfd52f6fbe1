import { type Change, isDestructive, isForgetting, kindOf, type PlanAction } from './change.ts';
import type { PlanResourceRef, PlanSummary } from './summary.ts';

type Counted = Change & { readonly mode: 'managed' | 'data'; readonly importing?: unknown };

/** Returns the totals of all changes of a plan. */
export function summarize(changes: readonly Counted[]): PlanSummary {
  const managed = changes.filter(({ mode }) => mode === 'managed');
  const count = (action: PlanAction) => managed.filter(({ actions }) => actions.includes(action)).length;
  const imported = managed.filter(({ importing }) => importing !== undefined).length;
  const forgotten = managed.filter(isForgetting).length;
  return {
    add: count('create'),
    change: count('update'),
    destroy: count('delete'),
    ...(imported > 0 && { import: imported }),
    ...(forgotten > 0 && { forget: forgotten }),
  };
}

/** Number of actions on objects: a replace is two. */
export const countObjectActions = ({ add, change, destroy }: PlanSummary): number => add + change + destroy;

/** Number of objects that a plan destroys, replaces or forgets. */
export const countDestructive = ({ destroy, forget = 0 }: PlanSummary): number => destroy + forget;

/** Reports whether a plan changes nothing, not even the state. */
export const isEmptySummary = (summary: PlanSummary): boolean =>
  Object.values(summary).every((count) => count === undefined || count === 0);

/** Reports whether a plan destroys, replaces or forgets an object. */
export const isDestructivePlan = (plan: { summary: PlanSummary; resources: readonly Change[] }): boolean =>
  countDestructive(plan.summary) > 0 || plan.resources.some((change) => isDestructive(kindOf(change)));

/** Maximum number of changes that a Run carries. Its plan document has all. */
export const maxPlanResources = 500;

/** Reports whether the changes that a Run carries are all of its plan. */
export const isWholePlan = (changes: readonly PlanResourceRef[]): boolean => changes.length < maxPlanResources;
