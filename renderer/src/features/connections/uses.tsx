import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ConnectionUse } from '#shared/connections/contract';
import { connectionUsesQuery } from '../../api/connections.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { More } from '../../components/more.tsx';
import { useText } from '../../i18n/text.ts';
import { type Column, DataTable, rowLinkClass } from '../../ui/data-table.tsx';
import { Card, Skeleton } from '../../ui/surface.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';

/** The Runs that were given values of a Connection, by their names. */
export function ConnectionUses({ connectionId }: { connectionId: string }) {
  const t = useText();
  const pages = useInfiniteQuery(connectionUsesQuery(connectionId));
  const rows = pages.data?.pages.flatMap((page) => page.uses) ?? [];
  return (
    <Card>
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('connection.uses')}</h2>
      {pages.isPending && <Skeleton lines={3} />}
      {pages.isLoadingError && (
        <div className="p-4">
          <ErrorNote error={pages.error} onAgain={() => void pages.refetch()} />
        </div>
      )}
      {rows.length > 0 && <UseTable rows={rows} />}
      {pages.isSuccess && rows.length === 0 && <p className="px-4 py-4 text-muted">{t('connection.uses.none')}</p>}
      <More pages={pages} />
    </Card>
  );
}

function UseTable({ rows }: { rows: readonly ConnectionUse[] }) {
  const t = useText();
  const columns: Column<ConnectionUse>[] = [
    {
      id: 'run',
      head: 'Run',
      cell: ({ runId }) => (
        <Link to="/runs/$id" params={{ id: runId }} data-row className={`${rowLinkClass} font-mono text-[0.93em]`}>
          {visibleText(runId.slice(0, 14))}
        </Link>
      ),
      className: 'md:w-44',
    },
    {
      id: 'capsule',
      head: 'Capsule',
      cell: ({ capsuleId, capsuleName }) =>
        capsuleId !== undefined && (
          <Link
            to="/capsules/$id"
            params={{ id: capsuleId }}
            className="relative z-10 break-words text-muted hover:text-accent hover:underline"
          >
            {visibleText(capsuleName ?? capsuleId.slice(0, 14))}
          </Link>
        ),
      className: 'md:w-40',
    },
    {
      id: 'names',
      head: t('connection.uses.names'),
      cell: ({ names }) => (
        <span className="font-mono text-xs break-words text-muted">{names.map(visibleText).join(', ')}</span>
      ),
    },
    {
      id: 'when',
      head: t('connection.uses.when'),
      cell: ({ usedAt }) => (
        <span className="whitespace-nowrap text-muted">
          <Since at={usedAt} />
        </span>
      ),
      className: 'md:w-40 md:text-right',
    },
  ];
  return <DataTable label={t('connection.uses')} columns={columns} rows={rows} keyOf={({ runId }) => runId} />;
}
