import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Connection } from '#shared/connections/contract';
import type { BoundCapsule } from '#shared/provider-bindings/api';
import { boundCapsulesQuery } from '../../api/connections.ts';
import { CapsuleMarks } from '../../components/capsule-marks.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { capsuleStatusTexts } from '../../components/status-text.ts';
import { useText } from '../../i18n/text.ts';
import { type Column, DataTable, rowLinkClass } from '../../ui/data-table.tsx';
import { tupleName } from '../../ui/provider-text.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Card, Skeleton } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';

/** Capsules whose Runs receive the values of a Connection. */
export function BoundCapsules({ connection }: { connection: Connection }) {
  const t = useText();
  const query = useQuery(boundCapsulesQuery(connection.id));
  return (
    <Card>
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('connection.capsules')}</h2>
      {query.isPending && <Skeleton lines={2} />}
      {query.isLoadingError && (
        <div className="p-4">
          <ErrorNote error={query.error} onAgain={() => void query.refetch()} />
        </div>
      )}
      {query.data?.length === 0 && (
        <p className="px-4 py-4 text-muted">
          {t('connection.capsules.none', { provider: visibleText(connection.providerSource) })}
        </p>
      )}
      {query.data && query.data.length > 0 && <Rows rows={query.data} />}
    </Card>
  );
}

function Rows({ rows }: { rows: readonly BoundCapsule[] }) {
  const t = useText();
  const columns: Column<BoundCapsule>[] = [
    {
      id: 'name',
      head: 'Capsule',
      cell: ({ capsuleId, name, environment }) => (
        <>
          <Link to="/capsules/$id" params={{ id: capsuleId }} data-row className={`${rowLinkClass} break-words`}>
            {visibleText(name)}
          </Link>
          <p className="text-xs text-muted">{environment}</p>
        </>
      ),
    },
    {
      id: 'for',
      head: t('connection.capsules.for'),
      cell: ({ bindings }) => (
        <span className="font-mono text-xs break-words text-muted">
          {bindings.map((one) => tupleName(one.moduleLocalName, one.childAlias)).join(', ')}
        </span>
      ),
    },
    {
      id: 'status',
      head: t('connections.status'),
      cell: ({ status, hold }) => (
        <span className="flex flex-wrap items-center gap-1">
          <StatusBadge statusText={capsuleStatusTexts[status]} />
          <CapsuleMarks capsule={{ hold }} />
        </span>
      ),
      className: 'md:w-44',
    },
  ];
  return (
    <DataTable label={t('connection.capsules')} columns={columns} rows={rows} keyOf={({ capsuleId }) => capsuleId} />
  );
}
