import { isPlanType, type Run } from './contract.ts';

/** When the work of a Run ended, in ms: a plan's own work, not the wait for its approval. Undefined while it works. */
export function workEndOf({ type, finishedAt, phaseTimings = [] }: Pick<Run, 'type' | 'finishedAt' | 'phaseTimings'>) {
  // A plan that failed leaves a phase open, and waited for no approval.
  const isWhole = isPlanType(type) && phaseTimings.every((phase) => phase.finishedAt !== undefined);
  const ends = isWhole ? phaseTimings.flatMap((phase) => phase.finishedAt ?? []) : [];
  const last = ends.sort().at(-1) ?? finishedAt;
  return last === undefined ? undefined : Date.parse(last);
}
