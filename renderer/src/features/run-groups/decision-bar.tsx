import type { RunGroup } from '#shared/run-groups/contract';
import { localPool, type RunRow } from '#shared/runs/contract';
import { api } from '../../api/client.ts';
import { useMay } from '../../api/role.ts';
import { useRunner } from '../../api/runner.ts';
import { NoSandboxLine } from '../../components/how-it-runs.tsx';
import { useText } from '../../i18n/text.ts';
import { GroupDecision } from './group-decision.tsx';
import type { Selection } from './use-selection.ts';

type Props = { group: RunGroup; plans: readonly RunRow[]; selection: Selection };

const digestsOf = (plans: readonly RunRow[]): Record<string, string> =>
  Object.fromEntries(plans.map(({ id, planDigest }) => [id, planDigest ?? '']));

/** Decisions on the selected plans: to approve those that wait, and to apply those that are ready. */
export function DecisionBar({ group, plans, selection }: Props) {
  const t = useText();
  const may = useMay();
  const runner = useRunner();
  if (plans.length === 0) return null;
  const selected = plans.filter(selection.isSelected);
  const toApprove = selected.filter(({ awaits }) => awaits === 'approve');
  const toApply = selected.filter(({ awaits }) => awaits === 'apply');
  const isLocal = plans.some(({ runnerPoolId }) => runnerPoolId === localPool);
  const params = { runGroupId: group.id };
  return (
    <section
      aria-label={t('group.decide')}
      className="sticky bottom-1 z-20 mt-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-2 rounded-lg border border-line-strong/40 bg-card px-3 py-2 shadow-lg sm:bottom-3 sm:px-4 sm:py-3"
    >
      <div className="min-w-0 flex-1 basis-60 text-sm">
        <p className="font-medium">{t('group.selected', { count: selected.length, total: plans.length })}</p>
        {!may('applyRunGroup') && <p className="text-warn">{t('run.review.role')}</p>}
        {selection.heldCount > 0 && <p className="text-muted">{t('group.held', { count: selection.heldCount })}</p>}
        {selection.hasOwn && <p className="text-muted">{t('run.review.second')}</p>}
        <NoSandboxLine runner={isLocal ? runner : undefined} text="run.review.noSandbox" />
      </div>
      <div className="flex flex-wrap gap-2">
        {toApprove.length > 0 && (
          <GroupDecision
            decision="approve"
            runGroupId={group.id}
            plans={toApprove}
            send={(plans, key) => api.approveRunGroup({ params, body: { runIds: plans.map(({ id }) => id) } }, key)}
          />
        )}
        {toApply.length > 0 && (
          <GroupDecision
            decision="apply"
            runGroupId={group.id}
            plans={toApply}
            send={(plans, key) => api.applyRunGroup({ params, body: { planDigests: digestsOf(plans) } }, key)}
          />
        )}
      </div>
    </section>
  );
}
