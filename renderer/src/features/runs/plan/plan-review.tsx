import { useCallback, useEffect, useRef } from 'react';
import type { PlanDocument } from '#shared/plans/document';
import { ChangeList } from '../../../components/plan/change-list.tsx';
import type { PlanAddress } from '../../../components/plan/plan-address.ts';
import { QueryContext } from '../../../components/plan/search-matches.tsx';
import { PlanToolbar } from '../../../components/plan/toolbar.tsx';
import { type Section, sectionId } from '../../../components/plan/tree.ts';
import { useActiveRow } from '../../../components/plan/use-active-row.ts';
import { usePlanAddress } from '../../../components/plan/use-plan-address.ts';
import { usePlanKeys } from '../../../components/plan/use-plan-keys.ts';
import { usePlanList } from '../../../components/plan/use-plan-list.ts';
import { useText } from '../../../i18n/text.ts';
import { Button } from '../../../ui/button.tsx';
import { Card, EmptyState } from '../../../ui/surface.tsx';
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
  const list = usePlanList(plan, address);
  usePlanAddress(list.address);
  const root = useRef<HTMLElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const active = useActiveRow(list.rows, root);
  usePlanKeys({ root, search, list, active });
  const { showSection, linked } = list;
  const { focus } = active;
  useEffect(() => focus(linked), [focus, linked]);
  const goTo = useCallback(
    (section: Section) => {
      showSection(sectionId(section));
      focus(sectionId(section));
    },
    [showSection, focus],
  );
  const isNothing = list.items.length === 0 && plan.outputs.length === 0;
  return (
    <QueryContext value={list.query}>
      <section ref={root} aria-label={t('plan.title')} className="flex min-w-0 flex-col gap-3">
        {!isComparison && <PlanSummaryCard plan={plan} items={list.items} goTo={goTo} />}
        {!isNothing && (
          <div className="min-w-0">
            <PlanToolbar plan={plan} list={list} search={search} active={active} />
            {list.rows.length === 0 ? (
              <Card>
                <EmptyState
                  title={t('plan.search.none.title')}
                  text={t('plan.search.none.text')}
                  action={<Button onClick={list.showAll}>{t('plan.search.none.action')}</Button>}
                />
              </Card>
            ) : (
              <ChangeList rows={list.rows} active={active} onToggle={list.toggle} />
            )}
          </div>
        )}
      </section>
    </QueryContext>
  );
}
