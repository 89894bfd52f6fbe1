import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { Source } from '#shared/sources/contract';
import { copyIdOf } from '#shared/sources/copy-address';
import { newestSnapshotQuery, sourcesQuery } from '../../api/records.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { EmptyList, ListPage } from '../../components/list-page.tsx';
import { sourceStatusTexts } from '../../components/status-text.ts';
import { useText } from '../../i18n/text.ts';
import { addressText } from '../../ui/address.ts';
import { buttonClass } from '../../ui/button.tsx';
import { type Column, DataTable, rowLinkClass } from '../../ui/data-table.tsx';
import { Lane } from '../../ui/lane.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import type { SourcesSearch } from './search.ts';

/** Sources of the Workspace, recently changed ones first. */
export function SourcesPage({ search: { q } }: { search: SourcesSearch }) {
  const t = useText();
  const navigate = useNavigate();
  const pages = useInfiniteQuery(sourcesQuery(useWorkspaceId(), { limit: '30', ...(q !== undefined && { q }) }));
  const rows = pages.data?.pages.flatMap((page) => page.sources) ?? [];
  const show = (text: string) =>
    void navigate({ to: '/sources', search: text === '' ? {} : { q: text }, replace: true });
  return (
    <ListPage
      title={t('nav.sources')}
      lead={t('sources.lead')}
      actions={
        <Link to="/copies" className={buttonClass()}>
          {t('copies.title')}
        </Link>
      }
      pages={pages}
      count={rows.length}
      empty={<NoSources isFiltered={q !== undefined} onClear={() => show('')} />}
      tools={
        <div className="mb-3 flex flex-wrap">
          <SearchField label={t('sources.search')} value={q ?? ''} onSearch={show} />
        </div>
      }
    >
      <SourceTable rows={rows} />
    </ListPage>
  );
}

function NoSources({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  const t = useText();
  if (!isFiltered) return <EmptyList title={t('sources.empty.title')} text={t('sources.empty.text')} />;
  const clear = { label: t('sources.nothing.clear'), onClear };
  return <EmptyList title={t('sources.nothing.title')} text={t('sources.nothing.text')} clear={clear} />;
}

function SourceTable({ rows }: { rows: readonly Source[] }) {
  const t = useText();
  const columns: Column<Source>[] = [
    { id: 'name', head: 'Source', cell: (source) => <SourceName source={source} /> },
    {
      id: 'ref',
      head: t('sources.follows'),
      cell: ({ defaultRef, defaultPath }) => (
        <span className="text-muted">
          <Lane of={{ ref: defaultRef, path: defaultPath }} />
        </span>
      ),
      className: 'md:w-44',
    },
    {
      id: 'status',
      head: t('sources.status'),
      cell: ({ status }) => <StatusBadge statusText={sourceStatusTexts[status]} />,
      className: 'md:w-36',
    },
    {
      id: 'snapshot',
      head: t('sources.newest'),
      cell: ({ id }) => <NewestSnapshot sourceId={id} />,
      className: 'md:w-60',
    },
  ];
  return <DataTable label={t('nav.sources')} columns={columns} rows={rows} keyOf={({ id }) => id} />;
}

function SourceName({ source: { id, name, url } }: { source: Source }) {
  const t = useText();
  return (
    <>
      <Link to="/sources/$id" params={{ id }} data-row className={`${rowLinkClass} break-words`}>
        {visibleText(name)}
      </Link>
      <p className="text-xs break-all text-muted">{copyIdOf(url) === undefined ? addressText(url) : t('copies.one')}</p>
    </>
  );
}

function NewestSnapshot({ sourceId }: { sourceId: string }) {
  const t = useText();
  const { data: snapshot, isPending } = useQuery(newestSnapshotQuery(sourceId));
  if (isPending) return null;
  if (!snapshot) return <span className="text-muted">{t('sources.never')}</span>;
  return (
    <span className="flex min-w-0 flex-col text-muted">
      <span className="whitespace-nowrap">
        <code className="font-mono text-[0.93em]">{snapshot.resolvedCommit.slice(0, 8)}</code> ·{' '}
        <Since at={snapshot.fetchedAt} />
      </span>
      {snapshot.commit && (
        <span title={t('commit.unverified')} className="truncate text-xs md:max-w-56">
          {visibleText(snapshot.commit.subject)}
        </span>
      )}
    </span>
  );
}
