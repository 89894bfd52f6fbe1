import { isoTime } from '#server/kernel/clock';
import type { CapsuleHold } from '#shared/capsules/contract';
import { visibleText } from '#shared/visible-text';
import type { CapsuleRow } from './store.ts';

export type HoldColumns = Pick<CapsuleRow, 'holdReason' | 'holdUntil' | 'heldBy' | 'heldAt'>;

export const withoutHold: HoldColumns = { holdReason: null, holdUntil: null, heldBy: null, heldAt: null };

/** Returns the hold of a Capsule. One whose end has passed is over, even before its row was cleared. */
export function findHold({ holdReason, holdUntil, heldBy, heldAt }: HoldColumns, now: number): CapsuleHold | undefined {
  if (heldAt === null || (holdUntil !== null && holdUntil <= now)) return undefined;
  return {
    reason: holdReason ?? '',
    ...(holdUntil !== null && { until: isoTime(holdUntil) }),
    heldBy: heldBy ?? '',
    heldAt: isoTime(heldAt),
  };
}

/** Message of `capsule_held`. It quotes the reason last, because the places that shorten a message cut its end. */
export const heldMessage = ({ reason }: Pick<CapsuleHold, 'reason'>): string =>
  `This Capsule is held, so nothing is applied. An owner or admin can release it. Reason: "${visibleText(reason)}".`;
