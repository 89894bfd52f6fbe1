import { isoTime } from '#server/kernel/clock';
import { AppError } from '#server/kernel/errors';
import type { Condition } from '#shared/interfaces/contract';
import { interfaceLimits } from '#shared/limits';
import type { InterfaceRow } from './store.ts';

type Reported = {
  type: string;
  status: Condition['status'];
  reason?: string | undefined;
  message?: string | undefined;
};

/** Returns the conditions of an Interface after a report. The time of a transition stays while the status stays. */
export function mergeConditions(
  { conditions, generation }: Pick<InterfaceRow, 'conditions' | 'generation'>,
  reported: readonly Reported[],
  now: number,
): Condition[] {
  const merged = new Map(conditions.map((condition) => [condition.type, condition]));
  for (const { type, status, reason, message } of reported) {
    const before = merged.get(type);
    const isSame = before?.status === status && before.lastTransitionAt !== undefined;
    merged.set(type, {
      type,
      status,
      ...(reason !== undefined && { reason }),
      ...(message !== undefined && { message }),
      observedGeneration: generation,
      lastTransitionAt: isSame ? (before.lastTransitionAt as string) : isoTime(now),
    });
  }
  if (merged.size > interfaceLimits.conditions)
    throw new AppError(
      'invalid_request',
      `An Interface has at most ${interfaceLimits.conditions} conditions. Report one of its types again.`,
      { details: { field: '/conditions' } },
    );
  return [...merged.values()];
}
