import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FormResourceEvent } from '#shared/form-resources/contract';
import { formResourceEventsQuery } from '../../api/form-resources.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { More } from '../../components/more.tsx';
import { useWho } from '../../components/who.ts';
import { type TextId, useText } from '../../i18n/text.ts';
import { Card, Skeleton } from '../../ui/surface.tsx';
import { Since } from '../../ui/time.tsx';

/** Completed operations of a Resource, newest first, and who started each. */
export function ResourceHistory({ id }: { id: string }) {
  const t = useText();
  const pages = useInfiniteQuery(formResourceEventsQuery(id));
  const events = pages.data?.pages.flatMap((page) => page.events) ?? [];
  return (
    <Card>
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 border-b border-line px-4 py-2.5">
        <h2 className="font-semibold">{t('formResources.history')}</h2>
        <Link
          to="/activity"
          search={{ kind: 'resource' }}
          className="text-sm text-accent underline-offset-2 hover:underline"
        >
          {t('formResources.history.all')}
        </Link>
      </div>
      {pages.isPending && <Skeleton />}
      {pages.isLoadingError && (
        <div className="p-4">
          <ErrorNote error={pages.error} onAgain={() => void pages.refetch()} />
        </div>
      )}
      <ul aria-label={t('formResources.history')} className="divide-y divide-line">
        {events.map((event) => (
          <HistoryLine key={event.id} event={event} />
        ))}
      </ul>
      <More pages={pages} />
    </Card>
  );
}

const eventTexts: Readonly<Record<FormResourceEvent['action'], TextId>> = {
  'resource.apply.succeeded': 'formResources.event.apply',
  'resource.import.succeeded': 'formResources.event.import',
  'resource.observe.succeeded': 'formResources.event.observe',
  'resource.refresh.succeeded': 'formResources.event.refresh',
  'resource.delete.succeeded': 'formResources.event.delete',
};

function HistoryLine({ event: { action, resourceVersion, actorId, createdAt } }: { event: FormResourceEvent }) {
  const t = useText();
  const who = useWho();
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 px-4 py-2">
      <span className="min-w-28 font-medium">{t(eventTexts[action])}</span>
      <span className="text-muted tabular-nums">{t('formResources.event.version', { version: resourceVersion })}</span>
      <span className="min-w-0 flex-1 break-words text-muted">{who(actorId ?? 'system')}</span>
      <span className="whitespace-nowrap text-muted">
        <Since at={createdAt} />
      </span>
    </li>
  );
}
