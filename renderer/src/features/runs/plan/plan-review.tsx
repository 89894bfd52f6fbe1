import type { PlanDocument } from '#shared/plans/document';
import type { PlanAddress } from '../../../components/plan/plan-address.ts';
import { PlanChanges } from '../../../components/plan/plan-changes.tsx';
import { useText } from '../../../i18n/text.ts';
import { PlanSummaryCard } from './summary.tsx';

type Props = {
  plan: PlanDocument;
  address: PlanAddress;
  /** True for a drift check. It proposes no changes, so there is no total; the number of differences is shown above. */
  isComparison: boolean;
};

/** Review of a computed plan: totals, filters, and every change as an expandable line. */
export function PlanReview({ plan, address, isComparison }: Props) {
  const t = useText();
  return (
    <PlanChanges
      plan={plan}
      address={address}
      label={t('plan.title')}
      {...(!isComparison && {
        above: (items, goTo) => <PlanSummaryCard plan={plan} items={items} goTo={goTo} />,
      })}
    />
  );
}
