/** One way to measure a Run: which module, at which pace, and as which user server and tool run. */
export type RunVariant = {
  module: 'terraform-data' | 'providers';
  pace: 'reading' | 'back-to-back';
  user: 'root' | 'ordinary';
};

const axes: { readonly [K in keyof RunVariant]: readonly RunVariant[K][] } = {
  module: ['terraform-data', 'providers'],
  pace: ['reading', 'back-to-back'],
  user: ['root', 'ordinary'],
};

/** Filters that select variants of Runs on the command line. */
export const variantFilters: readonly string[] = Object.values(axes).flat();

/**
 * Returns the variants that the filters select: a word restricts its own axis, two filters of one axis select both, and an
 * axis without a filter is measured whole. Throws for a filter of no axis.
 */
export function selectVariants(filters: readonly string[]): RunVariant[] {
  const unknown = filters.find((word) => !variantFilters.includes(word));
  if (unknown !== undefined) throw new Error(`${unknown} selects nothing. Use ${variantFilters.join(', ')}.`);
  const chosen = <T extends string>(values: readonly T[]): readonly T[] => {
    const named = values.filter((value) => filters.includes(value));
    return named.length === 0 ? values : named;
  };
  return chosen(axes.user).flatMap((user) =>
    chosen(axes.module).flatMap((module) => chosen(axes.pace).map((pace) => ({ module, pace, user }))),
  );
}

export const filtersOf = ({ module, pace, user }: RunVariant): string[] => [module, pace, user];

type RunStep = 'first plan' | 'next plan' | 'apply' | 'first log line' | 'processor time';

const goals: { readonly [name: string]: Partial<Record<RunStep, number>> } = {
  'terraform-data reading': { 'first plan': 0.95, 'next plan': 0.95, apply: 1, 'first log line': 3 },
  'providers reading': { 'first plan': 0.9, 'next plan': 0.7, apply: 1.05, 'first log line': 3 },
  'terraform-data back-to-back': { 'next plan': 1.2, apply: 1.3 },
  'providers back-to-back': { 'next plan': 1.2, apply: 1.3 },
};

/** Returns the largest ratio that meets the goal of a step; undefined for a step without a goal. */
export const goalOf = ({ module, pace }: RunVariant, step: RunStep): number | undefined =>
  goals[`${module} ${pace}`]?.[step];

/** Name of the case of a step, by which it is found in the output. */
export const caseName = (variant: RunVariant, step: RunStep): string => [step, ...filtersOf(variant)].join(', ');
