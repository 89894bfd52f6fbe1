import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { changesQuery } from '../../../api/changes.ts';
import type { Filters } from '../../../api/filters.ts';
import { useWorkspaceId } from '../../../api/session.tsx';
import { EmptyList, ListCard } from '../../../components/list-page.tsx';
import { UnknownTabFilter } from '../../../components/page-error.tsx';
import { RunFilters } from '../../../components/runs/run-filters.tsx';
import { RunTable } from '../../../components/runs/run-table.tsx';
import { filterOf, type RunsSearch } from '../../../components/runs/search.ts';
import { useText } from '../../../i18n/text.ts';
import { EmptyState } from '../../../ui/surface.tsx';
import { useCapsule } from '../capsule-context.ts';

/** Every Run of a Capsule, newest first. The filters are stored in the URL. */
export function HistoryPage({ filters: { search, isUnknown } }: { filters: Filters<RunsSearch> }) {
  const t = useText();
  const { id } = useCapsule().capsule;
  const navigate = useNavigate();
  const { capsule: _, ...filter } = search;
  const pages = useInfiniteQuery(changesQuery(useWorkspaceId(), { ...filterOf(filter), capsuleId: id }));
  const rows = pages.data?.pages.flatMap((page) => page.rows) ?? [];
  const go = (next: RunsSearch) =>
    void navigate({ to: '/capsules/$id/runs', params: { id }, search: next, replace: true, resetScroll: false });
  const show = (change: { [K in keyof RunsSearch]: RunsSearch[K] | undefined }) => {
    const next = Object.entries({ ...filter, ...change }).filter(([, value]) => value !== undefined);
    go(Object.fromEntries(next) as RunsSearch);
  };
  if (isUnknown) return <UnknownTabFilter onClear={() => go({})} />;
  const clear = { label: t('runs.clear'), onClear: () => go({}) };
  const empty =
    Object.keys(filter).length > 0 ? (
      <EmptyList title={t('runs.nothing.title')} text={t('runs.nothing.text')} clear={clear} />
    ) : (
      <EmptyState title={t('history.none')} text={t('history.none.text')} />
    );
  return (
    <>
      <RunFilters search={filter} onChange={show} isOfCapsule />
      <ListCard pages={pages} count={rows.length} empty={empty}>
        <RunTable rows={rows} isOfCapsule />
      </ListCard>
    </>
  );
}
