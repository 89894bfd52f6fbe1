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

export type CaseResult = { case: string; ratio: number; medianMs: number; baselineMs: number; samples: number };

/** One line of the benchmark: medians in milliseconds to a tenth, their ratio to a hundredth. */
export function compare(name: string, measured: readonly number[], baseline: readonly number[]): CaseResult {
  const medianMs = median(measured);
  const baselineMs = median(baseline);
  return {
    case: name,
    ratio: Math.round((medianMs / baselineMs) * 100) / 100,
    medianMs: Math.round(medianMs * 10) / 10,
    baselineMs: Math.round(baselineMs * 10) / 10,
    samples: measured.length,
  };
}

/** Returns the duration of an action in milliseconds, with its result. */
export async function timed<T>(action: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const start = performance.now();
  const value = await action();
  return { ms: performance.now() - start, value };
}
