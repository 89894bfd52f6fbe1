import { useQuery } from '@tanstack/react-query';
import type { Run } from '#shared/runs/contract';
import { capsuleQuery } from '../../../api/records.ts';
import { useMay } from '../../../api/role.ts';
import { whenKnown } from '../../../api/when-known.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { useText } from '../../../i18n/text.ts';
import { Button } from '../../../ui/button.tsx';
import { useApplyPlan } from './use-apply-plan.ts';

/**
 * Offers to apply a plan without changes: to adopt its commit, which the Capsule does not follow yet, or to return a
 * Capsule to active whose last apply failed, which runs its lifecycle actions again. Both are optional.
 */
export function AdoptCommit({ run }: { run: Run }) {
  const t = useText();
  const { capsuleId } = run;
  const capsule = useQuery(whenKnown(capsuleId, capsuleQuery)).data;
  const adopt = useApplyPlan(run);
  const may = useMay();
  if (!may('applyRun') || !capsule || capsule.status === 'destroyed' || capsule.status === 'disabled' || capsule.hold)
    return null;
  const isFailed = capsule.status === 'error' || capsule.runtimeSafety === 'unknown';
  if (!isFailed && capsule.adoptedSourceRevision?.sourceSnapshotId === run.sourceSnapshotId) return null;
  return (
    <div className="mt-2 flex flex-col items-start gap-2">
      <p>{t(isFailed ? 'run.adopt.failed' : 'run.adopt.text')}</p>
      {adopt.error !== undefined && <ErrorNote error={adopt.error} />}
      <Button busy={adopt.isBusy} onClick={() => void adopt.run()}>
        {t(isFailed ? 'run.adopt.applyAgain' : 'run.adopt.button')}
      </Button>
    </div>
  );
}
