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
  const of = (test: (actions: readonly string[]) => boolean) =>
    planResources.filter(({ actions }) => test(actions)).map(({ address }) => address);
  const destroyed = of((actions) => actions.includes('delete') && !actions.includes('create'));
  const replaced = of((actions) => actions.includes('delete') && actions.includes('create'));
  const forgotten = of((actions) => actions.includes('forget'));
  const named = destroyed.length + replaced.length + forgotten.length;
  return {
    destroyed,
    replaced,
    forgotten,
    count: Math.max(named, (summary?.destroy ?? 0) + (summary?.forget ?? 0)),
  };
}
