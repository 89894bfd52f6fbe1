import type { Capsule } from '#shared/capsules/contract';
import type { Run } from '#shared/runs/contract';
import { useIsLateStateWaiting } from '../../api/late-states.ts';
import { useAgain } from '../../api/use-again.ts';
import { PlanAgainButtons } from '../../components/plan-again-buttons.tsx';
import { PlanAgainPanel } from '../../components/plan-again-panel.tsx';
import { useText } from '../../i18n/text.ts';

type PlannedFrom = Partial<Pick<Run, 'compatibilityReportId' | 'sourceSnapshotId' | 'resolvedCommit'>>;
type Props = { capsule: Capsule; run: PlannedFrom; isMain?: boolean };

/** Plans the Capsule of a Run again, from the newest commit or from the one of the Run. */
export function PlanAgain({ capsule, run, isMain = true }: Props) {
  const t = useText();
  const again = useAgain(capsule, run);
  const isLateStateWaiting = useIsLateStateWaiting(capsule.id);
  if (again.attempt) {
    return (
      <div className="mt-2 w-full">
        <PlanAgainPanel attempt={again.attempt} commit={run.resolvedCommit} again={again} />
      </div>
    );
  }
  return (
    <div className="mt-2 flex flex-wrap gap-2">
      <PlanAgainButtons capsule={capsule} again={again} isMain={isMain} />
      {isLateStateWaiting && <p className="w-full max-w-prose text-sm text-muted">{t('lateState.first')}</p>}
    </div>
  );
}
