import { isForgetting, kindOf } from '#shared/plans/change';
import type { PlanResourceRef } from '#shared/plans/summary';
import { countDestructive } from '#shared/plans/totals';
import type { Run } from '#shared/runs/contract';

export type Endangered = {
  destroyed: readonly string[];
  replaced: readonly string[];
  forgotten: readonly string[];
  /** Total number, including those whose addresses the Run does not carry. */
  count: number;
};

/** Returns what a plan destroys, replaces or forgets, by address. */
export function endangered({ planResources = [], summary }: Pick<Run, 'planResources' | 'summary'>): Endangered {
  const addressesOf = (changes: readonly PlanResourceRef[]) => changes.map(({ address }) => address);
  const forgotten = addressesOf(planResources.filter(isForgetting));
  const ended = planResources.filter((change) => !isForgetting(change));
  const destroyed = addressesOf(ended.filter((change) => kindOf(change) === 'delete'));
  const replaced = addressesOf(ended.filter((change) => kindOf(change) === 'replace'));
  const named = destroyed.length + replaced.length + forgotten.length;
  return {
    destroyed,
    replaced,
    forgotten,
    count: Math.max(named, summary ? countDestructive(summary) : 0),
  };
}
