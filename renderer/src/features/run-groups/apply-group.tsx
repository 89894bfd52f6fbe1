import type { RunGroup } from '#shared/run-groups/contract';
import type { RunRow } from '#shared/runs/contract';
import { api } from '../../api/client.ts';
import { useMay } from '../../api/role.ts';
import { GroupDecision } from './group-decision.tsx';

/** Applies every plan of the group that is ready. */
export function ApplyGroup({ group, runs }: { group: RunGroup; runs: readonly RunRow[] }) {
  const may = useMay();
  const plans = runs.filter(({ awaits }) => awaits === 'apply');
  if (plans.length === 0 || !may('applyRunGroup')) return null;
  const params = { runGroupId: group.id };
  const planDigests = Object.fromEntries(plans.map(({ id, planDigest }) => [id, planDigest ?? '']));
  return (
    <GroupDecision
      decision="apply"
      runGroupId={group.id}
      plans={plans}
      send={(key) => api.applyRunGroup({ params, body: { planDigests } }, key)}
    />
  );
}
