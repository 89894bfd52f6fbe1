import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { Connection } from '#shared/connections/contract';
import { connectionsQuery, homeOf, hostOf } from '../../api/connections.ts';
import { useMay } from '../../api/role.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { Allowed } from '../../components/allowed.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { connectionName } from '../../components/repository-access.tsx';
import { connectionStatusTexts } from '../../components/status-text.ts';
import { useText } from '../../i18n/text.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { type Column, DataTable, rowLinkClass } from '../../ui/data-table.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Card, EmptyState, PageTitle, Skeleton } from '../../ui/surface.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import type { ConnectionsSearch } from './search.ts';
import { SignInResult } from './sign-in-result.tsx';
import { dayText, endsSoon, endText, isMeant, purposeOf } from './texts.ts';

/** Connections of the Workspace, newest first, by name only: values cannot be read. */
export function ConnectionsPage({ search }: { search: ConnectionsSearch }) {
  const { q } = search;
  const t = useText();
  const navigate = useNavigate();
  const query = useQuery(connectionsQuery(useWorkspaceId()));
  const all = query.data ?? [];
  const rows = q === undefined ? all : all.filter((one) => isMeant(one, q));
  const may = useMay();
  const show = (text: string) =>
    void navigate({ to: '/connections', search: text === '' ? {} : { q: text }, replace: true });
  return (
    <>
      <PageTitle
        title={t('connections.title')}
        lead={t('connections.lead')}
        actions={
          all.length > 0 &&
          may('createConnection') && (
            <Link to="/connections/new" className={buttonClass('primary')}>
              {t('connections.new')}
            </Link>
          )
        }
      />
      <SignInResult search={search} />
      {all.length > 0 && (
        <div className="mb-3 flex flex-wrap">
          <SearchField label={t('connections.search')} value={q ?? ''} onSearch={show} />
        </div>
      )}
      <Card>
        {query.isPending && <Skeleton lines={5} />}
        {query.isLoadingError && (
          <div className="p-4">
            <ErrorNote error={query.error} onAgain={() => void query.refetch()} />
          </div>
        )}
        {rows.length > 0 && <ConnectionTable rows={rows} />}
        {query.isSuccess && rows.length === 0 && <NoConnections isFiltered={all.length > 0} onClear={() => show('')} />}
      </Card>
    </>
  );
}

function NoConnections({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  const t = useText();
  if (isFiltered)
    return (
      <EmptyState
        title={t('connections.nothing.title')}
        text={t('connections.nothing.text')}
        action={<Button onClick={onClear}>{t('connections.nothing.clear')}</Button>}
      />
    );
  return (
    <EmptyState
      title={t('connections.empty.title')}
      text={t('connections.empty.text')}
      action={
        <Allowed to="createConnection">
          <Link to="/connections/new" className={buttonClass('primary')}>
            {t('connections.new')}
          </Link>
        </Allowed>
      }
    />
  );
}

function ConnectionTable({ rows }: { rows: readonly Connection[] }) {
  const t = useText();
  const columns: Column<Connection>[] = [
    { id: 'name', head: 'Connection', cell: (connection) => <Name connection={connection} /> },
    {
      id: 'status',
      head: t('connections.status'),
      cell: ({ status }) => <StatusBadge statusText={connectionStatusTexts[status]} />,
      className: 'md:w-36',
    },
    { id: 'holds', head: t('connections.holds'), cell: (connection) => <Holds connection={connection} /> },
    {
      id: 'ends',
      head: t('connections.ends'),
      cell: ({ expiresAt, status }) =>
        expiresAt !== undefined &&
        status !== 'revoked' && (
          <span className={endsSoon(expiresAt) ? 'text-warn' : 'text-muted'} title={dayText(expiresAt)}>
            <span className="md:hidden">{t('connections.ends')} </span>
            {endText(expiresAt)}
          </span>
        ),
      className: 'md:w-36',
    },
    {
      id: 'created',
      head: t('connections.created'),
      cell: ({ createdAt }) => (
        <span className="whitespace-nowrap text-muted">
          <Since at={createdAt} />
        </span>
      ),
      className: 'md:w-36 md:text-right',
    },
  ];
  return <DataTable label={t('connections.title')} columns={columns} rows={rows} keyOf={({ id }) => id} />;
}

function Name({ connection }: { connection: Connection }) {
  const host = hostOf(homeOf(connection));
  return (
    <>
      <Link to="/connections/$id" params={{ id: connection.id }} data-row className={`${rowLinkClass} break-words`}>
        {connectionName(connection)}
      </Link>
      <p className="text-xs break-words text-muted">
        <Purpose connection={connection} />
        {host !== undefined && ` · ${visibleText(host)}`}
      </p>
    </>
  );
}

/** Purpose of a Connection: a text or its provider. */
export function Purpose({ connection }: { connection: Connection }) {
  const t = useText();
  const purpose = purposeOf(connection);
  return 'text' in purpose ? t(purpose.text) : <code className="font-mono">{visibleText(purpose.provider)}</code>;
}

const Holds = ({ connection: { envNames, fileEnvNames = [] } }: { connection: Connection }) => (
  <span className="font-mono text-xs break-words text-muted">
    {[...envNames, ...fileEnvNames].map(visibleText).join(', ')}
  </span>
);
