import type { CapsuleHold } from '#shared/capsules/contract';
import { useText } from '../i18n/text.ts';
import { dateTimeText, Since } from '../ui/time.tsx';
import { visibleText } from '../ui/visible-text.ts';
import { useWho } from './who.ts';

/** Reason of a hold, who set it, and how it ends. */
export function HoldFacts({ hold: { reason, until, heldBy, heldAt } }: { hold: CapsuleHold }) {
  const t = useText();
  const who = useWho();
  return (
    <>
      <p className="max-w-prose break-words whitespace-pre-wrap">
        <q>{visibleText(reason)}</q>
      </p>
      <p className="mt-1 text-sm text-muted">
        {t('hold.by', { who: who(heldBy) })} · <Since at={heldAt} /> ·{' '}
        {until === undefined ? t('hold.open') : t('hold.until', { time: dateTimeText(until) })}
        {' · '}
        {t('hold.who')}
      </p>
    </>
  );
}
