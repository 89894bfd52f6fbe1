import type { ReactNode } from 'react';
import { usePlan } from '../../../api/use-plan.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import type { PlanAddress } from '../../../components/plan/plan-address.ts';
import { useText } from '../../../i18n/text.ts';
import { Spinner } from '../../../ui/button.tsx';
import { Card, EmptyState, Skeleton } from '../../../ui/surface.tsx';
import { PlanReview } from './plan-review.tsx';

type Props = {
  runId: string;
  address: PlanAddress;
  isComparison: boolean;
  /** Shown above the changes. They wait while it is loading. */
  above: { notes: ReactNode; isLoading: boolean };
};

/** Plan of a Run, for review before approval. */
export function PlanView({ runId, address, isComparison, above }: Props) {
  const t = useText();
  const { plan, isNotReady, hasEnded } = usePlan(runId);
  if (plan.data && !above.isLoading)
    return (
      <div className="flex min-w-0 flex-col gap-3">
        {above.notes}
        <PlanReview key={runId} plan={plan.data} address={address} isComparison={isComparison} />
      </div>
    );
  if (isNotReady)
    return (
      <Card>
        {hasEnded ? (
          <EmptyState title={t('plan.absent.title')} text={t('plan.absent.text')} />
        ) : (
          <div role="status">
            <EmptyState title={t('plan.waiting.title')} text={t('plan.waiting.text')} action={<Spinner />} />
          </div>
        )}
      </Card>
    );
  if (plan.isError) return <ErrorNote error={plan.error} onAgain={() => void plan.refetch()} />;
  return (
    <Card>
      <p role="status" className="sr-only">
        {t('plan.loading')}
      </p>
      <Skeleton lines={8} />
    </Card>
  );
}
