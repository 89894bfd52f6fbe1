import { sha256Hex } from '#server/kernel/digest';

/**
 * Returns the first slot of a Capsule that is not before a time. Its slots are one period apart, at an offset that
 * depends only on its id, so that the checks of many Capsules are spread over the period.
 */
export function slotFrom(capsuleId: string, periodMs: number, from: number): number {
  const offset = Number.parseInt(sha256Hex(capsuleId).slice(0, 12), 16) % periodMs;
  return Math.ceil((from - offset) / periodMs) * periodMs + offset;
}

/** Returns the slot after a check that starts now: at least half a period later, also after a check that was late. */
export const nextSlot = (capsuleId: string, periodMs: number, now: number): number =>
  slotFrom(capsuleId, periodMs, now + periodMs / 2);

/** Periods from now to the latest slot that `nextSlot` returns. A later one was set before the clock was set back. */
export const longestPeriods = 1.5;
