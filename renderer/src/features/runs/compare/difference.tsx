import type { DifferenceKind } from '#shared/plans/comparison';
import { useText } from '../../../i18n/text.ts';
import type { Tone } from '../../../ui/pill.tsx';

export const differenceTones = {
  added: 'good',
  removed: 'bad',
  changed: 'warn',
  uncertain: 'neutral',
} as const satisfies Readonly<Record<DifferenceKind, Tone>>;

/** Arrow from one side of a difference to the other. */
export function Arrow() {
  const t = useText();
  return (
    <>
      <span aria-hidden="true" className="text-muted">
        →
      </span>
      <span className="sr-only">{t('plan.becomes')}</span>
    </>
  );
}
