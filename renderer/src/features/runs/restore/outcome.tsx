import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { RestoredCapsule, RestoreReview } from '#shared/restores/contract';
import type { Run } from '#shared/runs/contract';
import { capsuleQuery } from '../../../api/records.ts';
import { Allowed } from '../../../components/allowed.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { usePlanUpdate } from '../../../components/use-plan-update.ts';
import { useText } from '../../../i18n/text.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { Note } from '../../../ui/surface.tsx';
import { PlanAgain } from '../plan-again.tsx';

type Props = { run: Run; capsules: readonly RestoredCapsule[]; review: RestoreReview };

/** Result of a restore and the next step. */
export function RestoreOutcome({ run, capsules, review }: Props) {
  const t = useText();
  const { status } = run;
  if (status === 'running' || status === 'queued') return <Note>{t('restore.working')}</Note>;
  if (status === 'succeeded') return <Succeeded capsules={capsules} count={review.capsuleCount} />;
  if (status === 'waiting_approval' || review.origin.kind !== 'backup') return null;
  return (
    <div>
      <Link to="/workspace/backups" className={buttonClass()}>
        {t('restore.again')}
      </Link>
    </div>
  );
}

function Succeeded({ capsules: [only], count }: { capsules: readonly RestoredCapsule[]; count: number }) {
  const t = useText();
  return (
    <Note title={t('restore.done', { count })}>
      <p>{t('restore.done.text')}</p>
      {only && count === 1 ? <PlanCapsule id={only.capsuleId} /> : <PlanAll />}
    </Note>
  );
}

function PlanCapsule({ id }: { id: string }) {
  const capsule = useQuery(capsuleQuery(id)).data;
  // The plan starts from the commit that the Capsule runs, not from one of the restore.
  return <div className="min-h-11">{capsule && <PlanAgain capsule={capsule} run={{}} />}</div>;
}

/** Plans every Capsule that is out of date, which each restored one is. */
function PlanAll() {
  const t = useText();
  const update = usePlanUpdate();
  return (
    <Allowed to="planUpdate">
      <Button variant="primary" className="mt-2" busy={update.isBusy} onClick={() => void update.run()}>
        {t('update.plan')}
      </Button>
      {update.error !== undefined && <ErrorNote error={update.error} />}
    </Allowed>
  );
}
