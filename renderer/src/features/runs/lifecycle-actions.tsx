import { useQuery } from '@tanstack/react-query';
import { actionsOfPhase } from '#shared/install-configs/lifecycle';
import { isPlanType, type Run } from '#shared/runs/contract';
import { configOfCapsuleQuery } from '../../api/records.ts';
import { hasEnded } from '../../api/run-record.ts';
import { whenKnown } from '../../api/when-known.ts';
import { LifecycleActionList } from '../../components/lifecycle-actions.tsx';
import { useText } from '../../i18n/text.ts';
import { Card } from '../../ui/surface.tsx';

/** The actions that the apply of a plan runs, while the plan can still be approved or applied. */
export function RunLifecycleActions({ run }: { run: Run }) {
  const t = useText();
  const isReviewed = isPlanType(run.type) && run.type !== 'drift_check';
  const isOpen = isReviewed && (run.awaits !== undefined || !hasEnded(run.status));
  const { data: config } = useQuery(whenKnown(isOpen ? run.capsuleId : undefined, configOfCapsuleQuery));
  const phase = run.type === 'destroy_plan' ? 'pre_destroy' : 'post_apply';
  const actions = actionsOfPhase(config ?? {}, phase);
  if (actions.length === 0) return null;
  return (
    <Card className="mb-4 min-w-0 text-sm">
      <h2 className="border-b border-line px-4 py-3 text-base font-semibold">{t(`action.title.${phase}`)}</h2>
      <div className="flex flex-col gap-3 px-4 py-3.5">
        <p className="max-w-prose text-muted">{t(`action.lead.${phase}`)}</p>
        <LifecycleActionList actions={actions} />
      </div>
    </Card>
  );
}
