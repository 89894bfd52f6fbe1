import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import {
  type DeliveryAttempt,
  deliveryEvents,
  deliveryStatuses,
  type WebhookDelivery,
} from '#shared/webhooks/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { invalidateRecord } from '../../api/queries.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { deliveriesQuery } from '../../api/webhooks.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { More } from '../../components/more.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Pill, type Tone } from '../../ui/pill.tsx';
import { Card, EmptyState, Skeleton } from '../../ui/surface.tsx';
import { durationText, Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { type DeliveriesSearch, readDeliveriesSearch } from './search.ts';

type Props = { webhookId: string; search: DeliveriesSearch };

/** Log of deliveries, newest first. It has no bodies of answers. */
export function Deliveries({ webhookId, search }: Props) {
  const t = useText();
  const navigate = useNavigate();
  const pages = useInfiniteQuery(deliveriesQuery({ workspaceId: useWorkspaceId(), webhookId, ...search }));
  const rows = pages.data?.pages.flatMap((page) => page.deliveries) ?? [];
  const isFiltered = Object.keys(search).length > 0;
  const show = (next: Record<string, unknown>) =>
    void navigate({
      to: '/workspace/webhooks/$id',
      params: { id: webhookId },
      search: readDeliveriesSearch({ ...search, ...next }),
      replace: true,
    });
  return (
    <Card className="min-w-0">
      <div className="flex flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-3">
        <h2 className="font-semibold">{t('webhooks.deliveries')}</h2>
        <div className="flex flex-wrap gap-2">
          <Choice
            label={t('webhooks.state')}
            any={t('webhooks.deliveries.anyStatus')}
            value={search.status}
            options={deliveryStatuses.map((value) => ({ value, text: t(`webhooks.delivery.${value}`) }))}
            onChange={(status) => show({ status })}
          />
          <Choice
            label={t('webhooks.events')}
            any={t('webhooks.deliveries.anyEvent')}
            value={search.event}
            options={deliveryEvents.map((value) => ({ value, text: t(`webhooks.event.${value}`) }))}
            onChange={(event) => show({ event })}
          />
        </div>
      </div>
      {pages.isPending && <Skeleton lines={4} />}
      {pages.isLoadingError && (
        <div className="p-4">
          <ErrorNote error={pages.error} onAgain={() => void pages.refetch()} />
        </div>
      )}
      {rows.length > 0 && (
        <ul aria-label={t('webhooks.deliveries')}>
          {rows.map((delivery) => (
            <DeliveryItem key={delivery.id} delivery={delivery} />
          ))}
        </ul>
      )}
      {pages.isSuccess && rows.length === 0 && (
        <EmptyState
          title={t(isFiltered ? 'webhooks.deliveries.nothing' : 'webhooks.deliveries.empty')}
          text={t(isFiltered ? 'webhooks.deliveries.nothing.text' : 'webhooks.deliveries.empty.text')}
          action={
            isFiltered && (
              <Button onClick={() => show({ status: undefined, event: undefined })}>
                {t('webhooks.deliveries.clear')}
              </Button>
            )
          }
        />
      )}
      <More pages={pages} />
    </Card>
  );
}

const tones: Record<WebhookDelivery['status'], Tone> = {
  pending: 'accent',
  delivered: 'good',
  failed: 'bad',
  dropped: 'neutral',
};

function DeliveryItem({ delivery }: { delivery: WebhookDelivery }) {
  const t = useText();
  const { status, event, capsuleName, runId, createdAt, nextAttemptAt, attempts } = delivery;
  const last = attempts.at(-1);
  return (
    <li className="border-b border-line px-4 py-3 last:border-b-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Pill tone={tones[status]}>{t(`webhooks.delivery.${status}`)}</Pill>
        <span className="min-w-0 font-medium break-words">{t(`webhooks.event.${event}`)}</span>
        <span className="ml-auto text-sm text-muted">
          <Since at={createdAt} />
        </span>
      </div>
      <p className="mt-1 flex flex-wrap gap-x-2 text-sm text-muted empty:hidden">
        {capsuleName !== undefined && <span className="min-w-0 break-words">{visibleText(capsuleName)}</span>}
        {runId !== undefined && (
          <Link to="/runs/$id" params={{ id: runId }} className="text-accent underline">
            {t('webhooks.delivery.run')}
          </Link>
        )}
        {nextAttemptAt !== undefined && (
          <span>
            {t('webhooks.delivery.next')} <Since at={nextAttemptAt} />
          </span>
        )}
      </p>
      <details className="mt-1 text-sm">
        <summary className="cursor-pointer text-muted">
          {t('webhooks.delivery.attempts', { count: attempts.length })}
          {last &&
            ` · ${[last.statusCode, last.error && t(`webhooks.attempt.${last.error}`)].filter(Boolean).join(' · ')}`}
        </summary>
        <p className="mt-1 font-mono text-xs break-all text-muted">{delivery.id}</p>
        <ol className="mt-1">
          {attempts.map((attempt) => (
            <AttemptLine key={attempt.at} attempt={attempt} />
          ))}
        </ol>
        {status !== 'pending' && <Redeliver delivery={delivery} />}
      </details>
    </li>
  );
}

function AttemptLine({ attempt: { at, durationMs, statusCode, error } }: { attempt: DeliveryAttempt }) {
  const t = useText();
  return (
    <li className="flex flex-wrap gap-x-3">
      <Since at={at} />
      {statusCode !== undefined && <span className="font-mono">{statusCode}</span>}
      <span>{t(error === undefined ? 'webhooks.attempt.ok' : `webhooks.attempt.${error}`)}</span>
      <span className="text-muted tabular-nums">{durationText(durationMs)}</span>
    </li>
  );
}

function Redeliver({ delivery: { id, webhookId } }: { delivery: WebhookDelivery }) {
  const t = useText();
  const workspaceId = useWorkspaceId();
  const redeliver = useIntent(async () => {
    await api.redeliver({ params: { workspaceId, webhookId, deliveryId: id } });
    invalidateRecord({ kind: 'webhook', id: webhookId });
  });
  return (
    <div className="mt-2 flex flex-col items-start gap-2">
      <Button busy={redeliver.isBusy} onClick={() => void redeliver.run()}>
        {t('webhooks.redeliver')}
      </Button>
      {redeliver.error !== undefined && <ErrorNote error={redeliver.error} />}
    </div>
  );
}
