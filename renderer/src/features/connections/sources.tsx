import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Connection } from '#shared/connections/contract';
import type { Source } from '#shared/sources/contract';
import { sourcesOfConnectionQuery } from '../../api/connections.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { sourceStatusTexts } from '../../components/status-text.ts';
import { useText } from '../../i18n/text.ts';
import { addressText } from '../../ui/address.ts';
import { type Column, DataTable, rowLinkClass } from '../../ui/data-table.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Card, Skeleton } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';

/** The Sources that are read with a Connection. */
export function ConnectionSources({ connection }: { connection: Connection }) {
  const t = useText();
  const query = useQuery(sourcesOfConnectionQuery(useWorkspaceId(), connection.id));
  return (
    <Card>
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('connection.sources')}</h2>
      {query.isPending && <Skeleton lines={2} />}
      {query.isLoadingError && (
        <div className="p-4">
          <ErrorNote error={query.error} onAgain={() => void query.refetch()} />
        </div>
      )}
      {query.data?.length === 0 && <p className="px-4 py-4 text-muted">{t('connection.sources.none')}</p>}
      {query.data && query.data.length > 0 && <Rows rows={query.data} />}
    </Card>
  );
}

function Rows({ rows }: { rows: readonly Source[] }) {
  const t = useText();
  const columns: Column<Source>[] = [
    {
      id: 'name',
      head: 'Source',
      cell: ({ id, name, url }) => (
        <>
          <Link to="/sources/$id" params={{ id }} data-row className={`${rowLinkClass} break-words`}>
            {visibleText(name)}
          </Link>
          <p className="text-xs break-all text-muted">{addressText(url)}</p>
        </>
      ),
    },
    {
      id: 'status',
      head: t('sources.status'),
      cell: ({ status }) => <StatusBadge statusText={sourceStatusTexts[status]} />,
      className: 'md:w-40',
    },
  ];
  return <DataTable label={t('connection.sources')} columns={columns} rows={rows} keyOf={({ id }) => id} />;
}
