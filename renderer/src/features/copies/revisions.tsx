import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Copy, CopyRevisionRow } from '#shared/copies/contract';
import { copyRevisionsQuery } from '../../api/copies.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { More } from '../../components/more.tsx';
import { useWho } from '../../components/who.ts';
import { useText } from '../../i18n/text.ts';
import { type Column, DataTable, rowLinkClass } from '../../ui/data-table.tsx';
import { Pill } from '../../ui/pill.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Card, Skeleton } from '../../ui/surface.tsx';
import { Since } from '../../ui/time.tsx';
import { revisionStatusText } from './status.ts';

/** Revisions of a copy, newest first. */
export function CopyRevisions({ copy }: { copy: Copy }) {
  const t = useText();
  const pages = useInfiniteQuery(copyRevisionsQuery(copy.id));
  const rows = pages.data?.pages.flatMap((page) => page.revisions) ?? [];
  return (
    <Card>
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('copy.revisions')}</h2>
      {pages.isPending && <Skeleton />}
      {pages.isLoadingError && (
        <div className="p-4">
          <ErrorNote error={pages.error} onAgain={() => void pages.refetch()} />
        </div>
      )}
      {rows.length > 0 && <RevisionTable rows={rows} currentId={copy.currentRevisionId} />}
      <More pages={pages} />
    </Card>
  );
}

function RevisionTable({ rows, currentId }: { rows: readonly CopyRevisionRow[]; currentId: string | undefined }) {
  const t = useText();
  const who = useWho();
  const columns: Column<CopyRevisionRow>[] = [
    {
      id: 'revision',
      head: t('copy.revision.first'),
      cell: ({ id, copyId, upstreamCommit }) => (
        <span className="flex flex-wrap items-center gap-2">
          <Link
            to="/copies/$id/revisions/$revisionId"
            params={{ id: copyId, revisionId: id }}
            data-row
            className={rowLinkClass}
          >
            <code className="font-mono text-[0.93em]">{(upstreamCommit ?? id).slice(0, 12)}</code>
          </Link>
          {id === currentId && <Pill tone="good">{t('copy.revision.current')}</Pill>}
        </span>
      ),
    },
    {
      id: 'status',
      head: t('copies.column.status'),
      cell: (revision) => <StatusBadge statusText={revisionStatusText(revision)} />,
      className: 'md:w-44',
    },
    {
      id: 'when',
      head: t('copies.column.changed'),
      cell: ({ createdAt, createdBy, approval }) => (
        <span className="flex flex-col text-muted">
          <Since at={approval?.at ?? createdAt} />
          <span className="text-xs">
            {approval
              ? t('copy.revision.approved', { who: who(approval.by) })
              : t('copy.revision.by', { who: who(createdBy) })}
          </span>
        </span>
      ),
      className: 'md:w-56',
    },
  ];
  return <DataTable label={t('copy.revisions')} columns={columns} rows={rows} keyOf={({ id }) => id} />;
}
