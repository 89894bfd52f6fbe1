import { type ReactNode, useCallback, useEffect, useRef } from 'react';
import type { PlanDocument } from '#shared/plans/document';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Card, EmptyState } from '../../ui/surface.tsx';
import type { PlanItem } from './change.ts';
import { ChangeList } from './change-list.tsx';
import type { PlanAddress } from './plan-address.ts';
import { QueryContext } from './search-matches.tsx';
import { PlanToolbar } from './toolbar.tsx';
import { type Section, sectionId } from './tree.ts';
import { useActiveRow } from './use-active-row.ts';
import { usePlanAddress } from './use-plan-address.ts';
import { usePlanKeys } from './use-plan-keys.ts';
import { usePlanList } from './use-plan-list.ts';

type Props = {
  plan: PlanDocument;
  address: PlanAddress;
  label: string;
  /** Returns what is shown above the changes. */
  above?: (items: readonly PlanItem[], goTo: (section: Section) => void) => ReactNode;
};

/** Every change of a plan as an expandable line, with search, filters and keys. */
export function PlanChanges({ plan, address, label, above }: Props) {
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
      <section ref={root} aria-label={label} className="flex min-w-0 flex-col gap-3">
        {above?.(list.items, goTo)}
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
