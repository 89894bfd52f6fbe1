import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { stateComparisonQuery } from '../../../api/state-resources.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { ChangeList } from '../../../components/plan/change-list.tsx';
import { QueryContext } from '../../../components/plan/search-matches.tsx';
import { useActiveRow } from '../../../components/plan/use-active-row.ts';
import { usePlanAddress } from '../../../components/plan/use-plan-address.ts';
import { usePlanKeys } from '../../../components/plan/use-plan-keys.ts';
import { type ListedChanges, usePlanList } from '../../../components/plan/use-plan-list.ts';
import { useText } from '../../../i18n/text.ts';
import { SearchField } from '../../../ui/search-field.tsx';
import { Card, EmptyState, Note, Skeleton } from '../../../ui/surface.tsx';
import { ProjectionNote } from '../resources/notes.tsx';
import type { StatesSearch } from './search.ts';

type Props = { from: string; to: string; search: StatesSearch };

/** Differences from one StateVersion to another, attribute by attribute, in the list of a plan. */
export function StateComparison({ from, to, search }: Props) {
  const t = useText();
  const { data, error, isPending, refetch } = useQuery(stateComparisonQuery(from, to));
  const changes = useMemo(() => data && { resources: data.resources, outputs: data.outputs, drift: [] }, [data]);
  // About as high as a short comparison, so that what is below moves little when it arrives.
  if (isPending)
    return (
      <div className="min-h-80">
        <Skeleton lines={5} />
      </div>
    );
  if (error)
    return (
      <div className="p-4">
        <ErrorNote error={error} onAgain={() => void refetch()} />
      </div>
    );
  const pending = [data.from, data.to].find(({ projection }) => projection.status === 'pending');
  if (pending)
    return (
      <div className="min-h-80 p-4">
        <ProjectionNote projection={pending.projection} />
      </div>
    );
  const isSame = changes === undefined || changes.resources.length + changes.outputs.length === 0;
  return (
    <div className="flex min-h-80 min-w-0 flex-col gap-3 p-4">
      {!data.valuesCompared && <Note tone="warn">{t('states.compare.addresses')}</Note>}
      {isSame ? (
        <EmptyState title={t('states.compare.same')} text={t('states.compare.same.text')} />
      ) : (
        <Differences key={`${from} ${to}`} changes={changes} search={search} />
      )}
      {data.valuesCompared && (
        <p className="text-sm text-muted">{t('states.compare.unchanged', { count: data.unchangedCount })}</p>
      )}
    </div>
  );
}

function Differences({ changes, search }: { changes: ListedChanges; search: StatesSearch }) {
  const t = useText();
  const list = usePlanList(changes, search);
  usePlanAddress(list.address);
  const root = useRef<HTMLElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const active = useActiveRow(list.rows, root);
  usePlanKeys({ root, search: input, list, active });
  const { linked, setTyped } = list;
  const { focus } = active;
  useEffect(() => focus(linked), [focus, linked]);
  const onSearch = useCallback((text: string) => setTyped(text), [setTyped]);
  return (
    <QueryContext value={list.query}>
      <section ref={root} aria-label={t('states.compare.title')} className="min-w-0">
        <div className="mb-2 flex">
          <SearchField label={t('states.compare.search')} value={list.typed} onSearch={onSearch} />
        </div>
        {list.rows.length === 0 ? (
          <Card>
            <EmptyState title={t('plan.search.none.title')} text={t('plan.search.none.text')} />
          </Card>
        ) : (
          <ChangeList rows={list.rows} active={active} onToggle={list.toggle} />
        )}
      </section>
    </QueryContext>
  );
}
