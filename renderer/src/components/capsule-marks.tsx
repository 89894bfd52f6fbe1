import { Lock } from 'lucide-react';
import type { Capsule } from '#shared/capsules/contract';
import { useText } from '../i18n/text.ts';
import { Pill } from '../ui/pill.tsx';

/** Marks of a Capsule beside its status: what a person should know before acting on it. Renders nothing without one. */
export function CapsuleMarks({ capsule: { hold } }: { capsule: Pick<Capsule, 'hold'> }) {
  const t = useText();
  if (!hold) return null;
  return (
    <Pill tone="warn">
      <Lock size={12} aria-hidden="true" />
      {t('hold.mark')}
    </Pill>
  );
}
