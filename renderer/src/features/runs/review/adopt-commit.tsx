import { useQuery } from '@tanstack/react-query';
import type { Run } from '#shared/runs/contract';
import { capsuleQuery } from '../../../api/records.ts';
import { useMay } from '../../../api/role.ts';
import { whenKnown } from '../../../api/when-known.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { useText } from '../../../i18n/text.ts';
import { Button } from '../../../ui/button.tsx';
import { useApplyPlan } from './use-apply-plan.ts';

/** Offers to adopt the commit of a plan without changes that its Capsule does not follow yet. Adopting is optional. */
export function AdoptCommit({ run }: { run: Run }) {
  const t = useText();
  const { capsuleId } = run;
  const capsule = useQuery(whenKnown(capsuleId, capsuleQuery)).data;
  const adopt = useApplyPlan(run);
  const may = useMay();
  if (!may('applyRun') || !capsule || capsule.status === 'destroyed' || capsule.status === 'disabled' || capsule.hold)
    return null;
  if (capsule.adoptedSourceRevision?.sourceSnapshotId === run.sourceSnapshotId) return null;
  return (
    <div className="mt-2 flex flex-col items-start gap-2">
      <p>{t('run.adopt.text')}</p>
      {adopt.error !== undefined && <ErrorNote error={adopt.error} />}
      <Button busy={adopt.isBusy} onClick={() => void adopt.run()}>
        {t('run.adopt.button')}
      </Button>
    </div>
  );
}
