import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Copy } from '#shared/copies/contract';
import { copiesQuery, copyRevisionQuery } from '../../api/copies.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { whenKnown } from '../../api/when-known.ts';
import { EmptyList, ListPage } from '../../components/list-page.tsx';
import { useText } from '../../i18n/text.ts';
import { addressText } from '../../ui/address.ts';
import { buttonClass } from '../../ui/button.tsx';
import { type Column, DataTable, rowLinkClass } from '../../ui/data-table.tsx';
import { FolderName } from '../../ui/lane.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { revisionStatusText } from './status.ts';

/** Installable copies of the Workspace, newest first. */
export function CopiesPage() {
  const t = useText();
  const pages = useInfiniteQuery(copiesQuery(useWorkspaceId()));
  const rows = pages.data?.pages.flatMap((page) => page.copies) ?? [];
  return (
    <ListPage
      title={t('copies.title')}
      lead={t('copies.lead')}
      actions={
        <Link to="/sources" className={buttonClass()}>
          {t('nav.sources')}
        </Link>
      }
      tools={null}
      pages={pages}
      count={rows.length}
      empty={<EmptyList title={t('copies.empty.title')} text={t('copies.empty.text')} />}
    >
      <CopyTable rows={rows} />
    </ListPage>
  );
}

function CopyTable({ rows }: { rows: readonly Copy[] }) {
  const t = useText();
  const columns: Column<Copy>[] = [
    {
      id: 'copy',
      head: t('copies.column.copy'),
      cell: ({ id, name, upstream }) => (
        <>
          <Link to="/copies/$id" params={{ id }} data-row className={`${rowLinkClass} break-words`}>
            {visibleText(name)}
          </Link>
          <p className="text-xs break-all text-muted">{addressText(upstream.url)}</p>
        </>
      ),
    },
    {
      id: 'module',
      head: t('copies.column.module'),
      cell: ({ modulePath }) => (
        <span className="text-muted">
          {modulePath === undefined ? t('copies.allModules') : <FolderName path={modulePath} />}
        </span>
      ),
      className: 'md:w-56',
    },
    {
      id: 'status',
      head: t('copies.column.status'),
      cell: (copy) => <CopyStatus copy={copy} />,
      className: 'md:w-48',
    },
    {
      id: 'changed',
      head: t('copies.column.changed'),
      cell: ({ updatedAt }) => (
        <span className="text-muted">
          <Since at={updatedAt} />
        </span>
      ),
      className: 'md:w-40',
    },
  ];
  return <DataTable label={t('copies.title')} columns={columns} rows={rows} keyOf={({ id }) => id} />;
}

/** Status of the revision that is being made or waits for approval; otherwise shows if the copy has content. */
export function CopyStatus({ copy: { id, openRevisionId, currentRevisionId } }: { copy: Copy }) {
  const revision = useQuery(whenKnown(openRevisionId, (revisionId) => copyRevisionQuery(id, revisionId)));
  if (openRevisionId === undefined) {
    const text = currentRevisionId === undefined ? 'copies.none' : 'copies.ready';
    return <StatusBadge statusText={{ text, tone: currentRevisionId === undefined ? 'neutral' : 'good' }} />;
  }
  return revision.data ? <StatusBadge statusText={revisionStatusText(revision.data)} /> : null;
}
