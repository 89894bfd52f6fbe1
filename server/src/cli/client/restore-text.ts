import type { AddressList, LeftOutCapsule, RestoredCapsule, RestoreReview } from '#shared/restores/contract';
import { oneLine } from './text.ts';

/** Renders what a restore replaces, Capsule by Capsule, and what it leaves out. */
export const restoreText = ({
  origin,
  capsules,
  leftOut,
}: Pick<RestoreReview, 'capsules' | 'leftOut'> & { origin?: RestoreReview['origin'] }): string[] => [
  ...capsules.flatMap((capsule) => reviewLines(capsule, origin?.kind === 'late')),
  ...leftOut.map(({ name, reason }) => `${oneLine(name)} is left out: ${leftOutTexts[reason]}`),
];

const leftOutTexts: Readonly<Record<LeftOutCapsule['reason'], string>> = {
  capsule_destroyed: 'it is destroyed. Install its module again instead.',
  capsule_missing: 'it no longer exists in this Workspace.',
  capsule_disabled: 'it is disabled by the operator. Enable it, then restore it.',
  capsule_held: 'it is held. Release it, then restore it.',
  capsule_busy: 'an apply of it is queued or running. Restore it afterwards.',
};

function reviewLines(capsule: RestoredCapsule, isLate: boolean): string[] {
  const { name, environment, currentGeneration, sourceGeneration, newGeneration, conversion } = capsule;
  const file = isLate ? 'the ended apply' : 'a file';
  const from = sourceGeneration === undefined ? file : `generation ${sourceGeneration}`;
  return [
    `${oneLine(name)} (${environment}): the state of ${from} replaces generation ${currentGeneration} and becomes generation ${newGeneration}.`,
    ...(conversion
      ? [`  The state was written by ${conversion.from} and belongs to ${conversion.to} afterwards.`]
      : []),
    ...addressLines('+', capsule.added),
    ...addressLines('-', capsule.removed),
    ...addressLines('~', capsule.changed),
  ];
}

/** Renders a list of addresses, one a line after its sign. */
export function addressLines(sign: string, { total, addresses }: AddressList): string[] {
  const more = total - addresses.length;
  return [
    ...addresses.map((address) => `  ${sign} ${oneLine(address)}`),
    ...(more > 0 ? [`  ${sign} ${more} more`] : []),
  ];
}
