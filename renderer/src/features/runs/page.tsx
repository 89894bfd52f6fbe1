import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { runsQuery } from '../../api/records.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { useText } from '../../i18n/text.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { More } from '../../ui/more.tsx';
import { Card, EmptyState, PageTitle, Skeleton } from '../../ui/surface.tsx';
import { RunFilters } from './run-filters.tsx';
import { RunTable } from './run-table.tsx';
import type { RunsSearch } from './search.ts';

const pageSize = '50';

/** Every Run of the Workspace, newest first. What is shown stands in the address, so that it can be shared. */
export function RunsPage({ search }: { search: RunsSearch }) {
  const t = useText();
  const workspaceId = useWorkspaceId();
  const navigate = useNavigate();
  const { capsule, ...filter } = search;
  const pages = useInfiniteQuery(
    runsQuery(workspaceId, { ...filter, ...(capsule !== undefined && { capsuleId: capsule }), limit: pageSize }),
  );
  const rows = pages.data?.pages.flatMap((page) => page.runs) ?? [];
  const show = (change: { [K in keyof RunsSearch]: RunsSearch[K] | undefined }) => {
    const next = Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined);
    void navigate({ to: '/runs', search: Object.fromEntries(next) as RunsSearch, replace: true });
  };
  const isFiltered = Object.keys(search).length > 0;
  return (
    <>
      <PageTitle title={t('nav.runs')} lead={t('runs.lead')} />
      <RunFilters search={search} onChange={show} />
      <Card>
        {pages.isPending && <Skeleton lines={6} />}
        {pages.isLoadingError && (
          <div className="p-4">
            <ErrorNote error={pages.error} onAgain={() => void pages.refetch()} />
          </div>
        )}
        {rows.length > 0 && <RunTable rows={rows} />}
        {pages.isSuccess && rows.length === 0 && (
          <NoRuns
            awaits={search.awaits !== undefined}
            isFiltered={isFiltered}
            onClear={() => void navigate({ to: '/runs', search: {}, replace: true })}
          />
        )}
        <More pages={pages} />
      </Card>
    </>
  );
}

function NoRuns({ awaits, isFiltered, onClear }: { awaits: boolean; isFiltered: boolean; onClear: () => void }) {
  const t = useText();
  if (!isFiltered) {
    return (
      <EmptyState
        title={t('runs.empty.title')}
        text={t('runs.empty.text')}
        action={
          <Link to="/install" className={buttonClass('primary')}>
            {t('nav.install')}
          </Link>
        }
      />
    );
  }
  return (
    <EmptyState
      title={t(awaits ? 'runs.nothingWaits.title' : 'runs.nothing.title')}
      text={t(awaits ? 'runs.nothingWaits.text' : 'runs.nothing.text')}
      action={<Button onClick={onClear}>{t('runs.clear')}</Button>}
    />
  );
}
