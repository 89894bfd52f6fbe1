import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Webhook } from '#shared/webhooks/contract';
import { useWorkspaceId } from '../../api/session.tsx';
import { webhookQuery } from '../../api/webhooks.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { NothingHere } from '../../components/page-error.tsx';
import { useText } from '../../i18n/text.ts';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { Card, Note, PageTitle, Skeleton } from '../../ui/surface.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { WebhookActions } from './actions.tsx';
import { Deliveries } from './deliveries.tsx';
import { ForManagers } from './for-managers.tsx';
import type { DeliveriesSearch } from './search.ts';
import { WebhookState } from './state.tsx';

type Props = { id: string; search: DeliveriesSearch };

/** Page of a webhook: its settings and the log of its deliveries. */
export const WebhookPage = (props: Props) => (
  <ForManagers>
    <Loaded {...props} />
  </ForManagers>
);

function Loaded({ id, search }: Props) {
  const query = useQuery(webhookQuery(useWorkspaceId(), id));
  if (query.isPending) return <Skeleton lines={6} />;
  if (query.isLoadingError) return <ErrorNote error={query.error} onAgain={() => void query.refetch()} />;
  if (!query.data) return <NothingHere />;
  return <WebhookView key={id} webhook={query.data} search={search} />;
}

function WebhookView({ webhook, search }: { webhook: Webhook; search: DeliveriesSearch }) {
  const t = useText();
  return (
    <>
      <PageTitle
        title={visibleText(webhook.name)}
        lead={
          <span className="flex flex-wrap items-center gap-2">
            <Link to="/workspace/webhooks" className="text-accent underline">
              {t('webhooks.title')}
            </Link>
            <WebhookState webhook={webhook} />
          </span>
        }
        actions={<WebhookActions webhook={webhook} />}
      />
      <div className="mb-4 empty:hidden">
        <StateNote webhook={webhook} />
      </div>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_21rem]">
        {/* First on a narrow screen, where the log grows below it. */}
        <div className="lg:order-last">
          <About webhook={webhook} />
        </div>
        <Deliveries webhookId={webhook.id} search={search} />
      </div>
    </>
  );
}

function StateNote({ webhook: { enabled, disabled, failingSince } }: { webhook: Webhook }) {
  const t = useText();
  if (disabled)
    return (
      <Note tone="bad" title={t('webhooks.disabled.title')}>
        {t(`webhooks.disabled.${disabled.reason}`)}
      </Note>
    );
  if (!enabled) return <Note title={t('webhooks.off.title')}>{t('webhooks.off.text')}</Note>;
  if (failingSince === undefined) return null;
  return (
    <Note tone="warn" title={t('webhooks.failing.title')}>
      {t('webhooks.failing.text')} <Since at={failingSince} />
    </Note>
  );
}

function About({ webhook }: { webhook: Webhook }) {
  const t = useText();
  const { host, format, events, pendingCount, previousSecretUntil, createdAt } = webhook;
  const facts: (Fact | false)[] = [
    { term: t('webhooks.host'), value: <code className="font-mono text-[0.93em] break-all">{visibleText(host)}</code> },
    { term: t('webhooks.format'), value: t(`webhooks.format.${format}`) },
    {
      term: t('webhooks.events'),
      value: (
        <ul>
          {events.map((event) => (
            <li key={event}>{t(`webhooks.event.${event}`)}</li>
          ))}
        </ul>
      ),
    },
    { term: t('webhooks.pending'), value: pendingCount },
    previousSecretUntil !== undefined && {
      term: t('webhooks.previousSecret'),
      value: <Since at={previousSecretUntil} />,
    },
    { term: t('webhooks.created'), value: <Since at={createdAt} /> },
  ];
  return (
    <Card>
      <h2 className="px-4 pt-3 font-semibold">{t('webhooks.about')}</h2>
      <Facts items={facts.filter((fact) => fact !== false)} />
    </Card>
  );
}
