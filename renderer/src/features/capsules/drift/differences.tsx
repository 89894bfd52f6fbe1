import { usePlan } from '../../../api/use-plan.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import type { PlanAddress } from '../../../components/plan/plan-address.ts';
import { PlanChanges } from '../../../components/plan/plan-changes.tsx';
import { useText } from '../../../i18n/text.ts';
import { Card, Skeleton } from '../../../ui/surface.tsx';

/** The differences that a drift check found, per attribute. */
export function Differences({ runId, address }: { runId: string; address: PlanAddress }) {
  const t = useText();
  const { plan } = usePlan(runId);
  if (plan.data) return <PlanChanges plan={plan.data} address={address} label={t('drift.differences')} />;
  if (plan.isError) return <ErrorNote error={plan.error} onAgain={() => void plan.refetch()} />;
  return (
    <Card>
      <Skeleton lines={6} />
    </Card>
  );
}
