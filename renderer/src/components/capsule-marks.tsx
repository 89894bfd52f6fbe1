import { Lock } from 'lucide-react';
import type { Capsule } from '#shared/capsules/contract';
import { useText } from '../i18n/text.ts';
import { Pill } from '../ui/pill.tsx';
import { driftTexts } from './status-text.ts';

type Props = { capsule: Pick<Capsule, 'hold'> & Partial<Pick<Capsule, 'drift'>> };

/** Marks of a Capsule beside its status: what a person should know before acting on it. Renders nothing without one. */
export function CapsuleMarks({ capsule: { hold, drift } }: Props) {
  const t = useText();
  return (
    <>
      {hold && (
        <Pill tone="warn">
          <Lock size={12} aria-hidden="true" />
          {t('hold.mark')}
        </Pill>
      )}
      {drift && drift.status !== 'none' && (
        <Pill tone={driftTexts[drift.status].tone}>{t(driftTexts[drift.status].text)}</Pill>
      )}
    </>
  );
}
