import { RefreshCw } from 'lucide-react';
import type { Capsule } from '#shared/capsules/contract';
import { useIsLateStateWaiting } from '../api/late-states.ts';
import { useMay } from '../api/role.ts';
import type { Again } from '../api/use-again.ts';
import { useText } from '../i18n/text.ts';
import { Button } from '../ui/button.tsx';

type Props = { capsule: Pick<Capsule, 'id' | 'latestRun'>; again: Again; isMain?: boolean };

/** Plan again, from the newest commit or from the same one. A plan or a late state that waits for a decision comes first. */
export function PlanAgainButtons({ capsule, again, isMain = true }: Props) {
  const t = useText();
  const may = useMay();
  const isLateStateWaiting = useIsLateStateWaiting(capsule.id);
  if (!again.isPossible || !may('planCapsule')) return null;
  const isTaken = again.isGoing || again.isBusy || !again.isReady;
  return (
    <>
      <Button
        variant={isMain && !isLateStateWaiting && capsule.latestRun?.awaits === undefined ? 'primary' : 'plain'}
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
