/**
 * Returns the middle of the samples, or the mean of the two middle ones when their number is even. Throws without
 * samples.
 */
export function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined) throw new Error('A median needs at least one sample.');
  return (lower + upper) / 2;
}

/** Smallest and largest sample. */
export type Range = readonly [min: number, max: number];

export type CaseResult = {
  case: string;
  ratio: number;
  /** Largest ratio that meets the goal of the case. */
  goal?: number;
  /** Ratios of the single rounds; absent when the sides were not measured in turn. */
  ratioRange?: Range;
  medianMs: number;
  rangeMs: Range;
  baselineMs: number;
  baselineRangeMs: Range;
  samples: number;
  /** Unit of both sides where it is not `ms`. */
  unit?: Unit;
};

/** Time of a Run by part: lengths in milliseconds, in their order. */
export type ProfileResult = { case: string; medianMs: number; parts: { [name: string]: number }; samples: number };

/** A case without a baseline: its goal is a time, or an amount of memory. */
export type AbsoluteResult = {
  case: string;
  unit: Unit;
  median: number;
  /** Largest value that meets the goal. */
  goal: number;
  range: Range;
  samples: number;
};
type Unit = 'ms' | 'MiB';

export const absolute = (
  name: string,
  measured: readonly number[],
  { unit, goal }: { unit: Unit; goal: number },
): AbsoluteResult => ({
  case: name,
  unit,
  median: rounded(median(measured), 10),
  goal,
  range: rangeOf(measured, 10),
  samples: measured.length,
});

export type BenchResult = CaseResult | AbsoluteResult | ProfileResult;

/** One line of the benchmark: medians in milliseconds to a tenth, their ratio to a hundredth, and the spread of each. */
export function compare(
  name: string,
  measured: readonly number[],
  baseline: readonly number[],
  goal?: number,
): CaseResult {
  const medianMs = median(measured);
  const baselineMs = median(baseline);
  const ratios = measured.map((value, round) => value / (baseline[round] ?? Number.NaN));
  return {
    case: name,
    ratio: rounded(medianMs / baselineMs, 100),
    ...(goal === undefined ? {} : { goal }),
    ...(measured.length === baseline.length ? { ratioRange: rangeOf(ratios, 100) } : {}),
    medianMs: rounded(medianMs, 10),
    rangeMs: rangeOf(measured, 10),
    baselineMs: rounded(baselineMs, 10),
    baselineRangeMs: rangeOf(baseline, 10),
    samples: measured.length,
  };
}

const rounded = (value: number, parts: number): number => Math.round(value * parts) / parts;
const rangeOf = (samples: readonly number[], parts: number): Range => [
  rounded(Math.min(...samples), parts),
  rounded(Math.max(...samples), parts),
];

/** Returns the duration of an action in milliseconds, with its result. */
export async function timed<T>(action: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const start = performance.now();
  const value = await action();
  return { ms: performance.now() - start, value };
}
