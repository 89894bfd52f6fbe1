import { type CaseResult, compare, median, timed } from './median.ts';

/** Requests of one round. A single request lasts about a millisecond, so its time says little. */
const requests = 40;

type Request = (index: number) => Promise<unknown>;

/** Compares two kinds of short requests that are sent in turn. Each round is the median of its requests. */
export async function compareRequests(
  name: string,
  { samples, goal }: { samples: number; goal?: number },
  { measured, baseline }: { measured: Request; baseline: Request },
): Promise<CaseResult> {
  const rounds: { measured: number[]; baseline: number[] } = { measured: [], baseline: [] };
  for (let round = 0; round < samples; round += 1) {
    const times: typeof rounds = { measured: [], baseline: [] };
    for (let index = 0; index < requests; index += 1) {
      times.measured.push((await timed(() => measured(index))).ms);
      times.baseline.push((await timed(() => baseline(index))).ms);
    }
    rounds.measured.push(median(times.measured));
    rounds.baseline.push(median(times.baseline));
  }
  return compare(name, rounds.measured, rounds.baseline, goal);
}
