import { useQuery } from '@tanstack/react-query';
import { actionsOfPhase } from '#shared/install-configs/lifecycle';
import { isPlanType, type Run } from '#shared/runs/contract';
import { configOfCapsuleQuery } from '../../api/records.ts';
import { hasEnded } from '../../api/run-record.ts';
import { whenKnown } from '../../api/when-known.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { LifecycleActionList } from '../../components/lifecycle-actions.tsx';
import { useText } from '../../i18n/text.ts';
import { Card, Skeleton } from '../../ui/surface.tsx';

/**
 * The actions that the apply of a plan runs, while the plan can still be approved or applied. A failure to
 * read them is shown, so that a reviewer does not take it for a plan without actions.
 */
export function RunLifecycleActions({ run }: { run: Run }) {
  const t = useText();
  const isReviewed = isPlanType(run.type) && run.type !== 'drift_check';
  const isOpen = isReviewed && (run.awaits !== undefined || !hasEnded(run.status));
  const openId = isOpen ? run.capsuleId : undefined;
  const config = useQuery(whenKnown(openId, configOfCapsuleQuery));
  const phase = run.type === 'destroy_plan' ? 'pre_destroy' : 'post_apply';
  const actions = actionsOfPhase(config.data ?? {}, phase);
  const isUnknown = config.data === undefined;
  // Space is reserved only for a destroy, or when the answer is late, because most plans have no actions.
  const isAwaited = phase === 'pre_destroy' || config.failureCount > 0 || config.isPaused;
  if (openId === undefined || (isUnknown ? !isAwaited : actions.length === 0)) return null;
  return (
    <Card className="mb-4 min-w-0 text-sm">
      <h2 className="border-b border-line px-4 py-3 text-base font-semibold">{t(`action.title.${phase}`)}</h2>
      <div className="flex flex-col gap-3 px-4 py-3.5">
        {isUnknown && config.error && <ErrorNote error={config.error} onAgain={() => void config.refetch()} />}
        {isUnknown && !config.error && <Skeleton lines={3} />}
        {!isUnknown && (
          <>
            <p className="max-w-prose text-muted">{t(`action.lead.${phase}`)}</p>
            <LifecycleActionList actions={actions} poolId={run.runnerPoolId} />
          </>
        )}
      </div>
    </Card>
  );
}
