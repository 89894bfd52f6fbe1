import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { webhookLimits } from '#shared/limits';
import type { Webhook } from '#shared/webhooks/contract';
import { useMay } from '../../api/role.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { webhooksQuery } from '../../api/webhooks.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { type Column, DataTable, rowLinkClass } from '../../ui/data-table.tsx';
import { Card, EmptyState, PageTitle, Skeleton } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { ForManagers } from './for-managers.tsx';
import { NewWebhook } from './new-webhook.tsx';
import { WebhookState } from './state.tsx';

/** Webhooks of the Workspace, oldest first. Their addresses are shown by host alone. */
export function WebhooksPage() {
  const t = useText();
  const may = useMay();
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <PageTitle
        title={t('webhooks.title')}
        lead={t('webhooks.lead')}
        actions={
          may('createWebhook') && (
            <Button variant="primary" onClick={() => setCreating(true)}>
              {t('webhooks.new')}
            </Button>
          )
        }
      />
      <ForManagers>
        <WebhookList />
        <NewWebhook isOpen={isCreating} onClose={() => setCreating(false)} />
      </ForManagers>
    </>
  );
}

function WebhookList() {
  const t = useText();
  const query = useQuery(webhooksQuery(useWorkspaceId()));
  const rows = query.data ?? [];
  return (
    <>
      <Card>
        {query.isPending && <Skeleton lines={4} />}
        {query.isLoadingError && (
          <div className="p-4">
            <ErrorNote error={query.error} onAgain={() => void query.refetch()} />
          </div>
        )}
        {rows.length > 0 && <WebhookTable rows={rows} />}
        {query.isSuccess && rows.length === 0 && (
          <EmptyState title={t('webhooks.empty.title')} text={t('webhooks.empty.text')} />
        )}
      </Card>
      {rows.length >= webhookLimits.webhooks && (
        <p className="mt-3 text-muted">{t('webhooks.full', { count: webhookLimits.webhooks })}</p>
      )}
    </>
  );
}

function WebhookTable({ rows }: { rows: readonly Webhook[] }) {
  const t = useText();
  const columns: Column<Webhook>[] = [
    {
      id: 'name',
      head: t('webhooks.name'),
      cell: ({ id, name, host }) => (
        <>
          <Link to="/workspace/webhooks/$id" params={{ id }} data-row className={`${rowLinkClass} break-words`}>
            {visibleText(name)}
          </Link>
          <p className="font-mono text-xs break-all text-muted">{visibleText(host)}</p>
        </>
      ),
    },
    {
      id: 'state',
      head: t('webhooks.state'),
      cell: (webhook) => <WebhookState webhook={webhook} />,
      className: 'md:w-36',
    },
    {
      id: 'format',
      head: t('webhooks.format'),
      cell: ({ format }) => <span className="text-muted">{t(`webhooks.format.${format}`)}</span>,
      className: 'md:w-44',
    },
    {
      id: 'events',
      head: t('webhooks.events'),
      cell: ({ events }) => <span className="text-muted">{t('webhooks.events.count', { count: events.length })}</span>,
      className: 'md:w-28 md:text-right',
    },
  ];
  return <DataTable label={t('webhooks.title')} columns={columns} rows={rows} keyOf={({ id }) => id} />;
}
