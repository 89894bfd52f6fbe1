import { RefreshCw } from 'lucide-react';
import { useMay } from '../api/role.ts';
import type { Again } from '../api/use-again.ts';
import { useText } from '../i18n/text.ts';
import { Button } from '../ui/button.tsx';

/** Plan again, from the newest commit or from the same one. */
export function PlanAgainButtons({ again, isMain = true }: { again: Again; isMain?: boolean }) {
  const t = useText();
  const may = useMay();
  if (!again.isPossible || !may('planCapsule')) return null;
  const isTaken = again.isGoing || again.isBusy || !again.isReady;
  return (
    <>
      <Button
        variant={isMain ? 'primary' : 'plain'}
        busy={again.isGoing}
        disabled={isTaken}
        title={t('again.button.title')}
        onClick={() => again.start('newest')}
      >
        {!again.isGoing && <RefreshCw size={15} aria-hidden="true" />} {t('again.button')}
      </Button>
      {again.hasSame && again.canFetch && (
        <Button disabled={isTaken} title={t('again.same.title')} onClick={() => again.start('same')}>
          {t('again.same')}
        </Button>
      )}
    </>
  );
}
