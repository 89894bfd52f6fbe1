import type { RunGroup } from '#shared/run-groups/contract';
import type { RunRow } from '#shared/runs/contract';
import { api } from '../../api/client.ts';
import { useMay } from '../../api/role.ts';
import { useSession } from '../../api/session.tsx';
import { useText } from '../../i18n/text.ts';
import { GroupDecision } from './group-decision.tsx';

/** Lists the plans that the signed-in user may approve. A policy of the Workspace can exclude the user's own plans. */
function usePlansToApprove(runs: readonly RunRow[]): { plans: RunRow[]; isForSecond: boolean } {
  const { data } = useSession();
  const waiting = runs.filter(({ awaits }) => awaits === 'approve');
  const needsSecond = data?.workspace.policy?.approval?.requireSecondPerson === true;
  const plans = waiting.filter(({ createdBy }) => !needsSecond || createdBy !== data?.session.subject);
  return { plans, isForSecond: plans.length < waiting.length };
}

/** Approves every waiting plan of the group. */
export function ApproveGroup({ group, runs }: { group: RunGroup; runs: readonly RunRow[] }) {
  const t = useText();
  const may = useMay();
  const { plans, isForSecond } = usePlansToApprove(runs);
  if (!may('approveRunGroup')) return null;
  if (plans.length === 0) return isForSecond && <p className="text-sm text-muted">{t('run.review.second')}</p>;
  return (
    <GroupDecision
      decision="approve"
      runGroupId={group.id}
      plans={plans}
      send={(key) => api.approveRunGroup({ params: { runGroupId: group.id }, body: {} }, key)}
    />
  );
}
