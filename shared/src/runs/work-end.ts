import { isPlanType, type Run } from './contract.ts';

/**
 * Returns the time at which the work of a Run ended, in ms. For a plan the wait for approval does not count. Undefined
 * while it works.
 */
export function workEndOf({ type, finishedAt, phaseTimings = [] }: Pick<Run, 'type' | 'finishedAt' | 'phaseTimings'>) {
  // A failed plan leaves a phase open and did not wait for approval.
  const isWhole = isPlanType(type) && phaseTimings.every((phase) => phase.finishedAt !== undefined);
  const ends = isWhole ? phaseTimings.flatMap((phase) => phase.finishedAt ?? []) : [];
  const last = ends.sort().at(-1) ?? finishedAt;
  return last === undefined ? undefined : Date.parse(last);
}
