import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { changesQuery } from '../../api/changes.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { EmptyList, ListPage } from '../../components/list-page.tsx';
import { RunFilters } from '../../components/runs/run-filters.tsx';
import { RunTable } from '../../components/runs/run-table.tsx';
import { filterOf, type RunsSearch } from '../../components/runs/search.ts';
import { useText } from '../../i18n/text.ts';
import { buttonClass } from '../../ui/button.tsx';

/** Runs of the Workspace, newest first. The filters are stored in the URL, so that they can be shared. */
export function RunsPage({ search }: { search: RunsSearch }) {
  const t = useText();
  const workspaceId = useWorkspaceId();
  const navigate = useNavigate();
  const pages = useInfiniteQuery(changesQuery(workspaceId, filterOf(search)));
  const rows = pages.data?.pages.flatMap((page) => page.rows) ?? [];
  const show = (change: { [K in keyof RunsSearch]: RunsSearch[K] | undefined }) => {
    const next = Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined);
    void navigate({ to: '/runs', search: Object.fromEntries(next) as RunsSearch, replace: true });
  };
  const isFiltered = Object.keys(search).length > 0;
  return (
    <ListPage
      title={t('nav.runs')}
      lead={t('runs.lead')}
      pages={pages}
      count={rows.length}
      actions={
        <Link to="/usage" className={buttonClass()}>
          {t('usage.title')}
        </Link>
      }
      tools={<RunFilters search={search} onChange={show} />}
      empty={
        <NoRuns
          awaits={search.awaits !== undefined}
          isFiltered={isFiltered}
          onClear={() => void navigate({ to: '/runs', search: {}, replace: true })}
        />
      }
    >
      <RunTable rows={rows} />
    </ListPage>
  );
}

function NoRuns({ awaits, isFiltered, onClear }: { awaits: boolean; isFiltered: boolean; onClear: () => void }) {
  const t = useText();
  if (!isFiltered) return <EmptyList title={t('runs.empty.title')} text={t('runs.empty.text')} />;
  return (
    <EmptyList
      title={t(awaits ? 'runs.nothingWaits.title' : 'runs.nothing.title')}
      text={t(awaits ? 'runs.nothingWaits.text' : 'runs.nothing.text')}
      clear={{ label: t('runs.clear'), onClear }}
    />
  );
}
