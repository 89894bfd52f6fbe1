import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ActivityEvent } from '#shared/activity/contract';
import { activityQuery } from '../../api/records.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { EmptyList, ListPage } from '../../components/list-page.tsx';
import { useText } from '../../i18n/text.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Since } from '../../ui/time.tsx';
import { ActivityFilters } from './filters.tsx';
import { RecordLink, RecordName } from './record-link.tsx';
import type { ActivitySearch } from './search.ts';

const pageSize = '50';

/** History of this Workspace, newest first, with links to the records. */
export function ActivityPage({ search }: { search: ActivitySearch }) {
  const t = useText();
  const workspaceId = useWorkspaceId();
  const navigate = useNavigate();
  const { kind, actor, capsule } = search;
  const pages = useInfiniteQuery(
    activityQuery(workspaceId, {
      ...(kind && { targetType: kind }),
      ...(actor !== undefined && { actorId: actor }),
      ...(capsule !== undefined && { capsuleId: capsule }),
      limit: pageSize,
    }),
  );
  const events = pages.data?.pages.flatMap((page) => page.events) ?? [];
  const rows = kind === undefined ? events.filter(isNotable) : events;
  const go = (next: ActivitySearch) => void navigate({ to: '/activity', search: next, replace: true });
  const show = (change: { [K in keyof ActivitySearch]: ActivitySearch[K] | undefined }) => {
    const next = Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined);
    go(Object.fromEntries(next) as ActivitySearch);
  };
  const isFiltered = Object.keys(search).length > 0;
  return (
    <ListPage
      title={t('nav.activity')}
      lead={t('activity.lead')}
      pages={pages}
      count={events.length}
      tools={<ActivityFilters search={search} onChange={show} />}
      empty={
        isFiltered ? (
          <EmptyList
            title={t('activity.nothing.title')}
            text={t('activity.nothing.text')}
            clear={{ label: t('activity.clear'), onClear: () => go({}) }}
          />
        ) : (
          <EmptyList title={t('activity.empty.title')} text={t('activity.empty.text')} />
        )
      }
    >
      <ActivityTable rows={rows} />
    </ListPage>
  );
}

/**
 * Reports whether a row is shown without a filter. Steps of an installation are hidden between their results; the
 * filter by kind shows them.
 */
const isNotable = ({ action }: ActivityEvent): boolean => !action.endsWith('_plan.advanced');

function ActivityTable({ rows }: { rows: readonly ActivityEvent[] }) {
  const t = useText();
  const columns: Column<ActivityEvent>[] = [
    { id: 'what', head: t('activity.what'), cell: (event) => <RecordLink event={event} /> },
    {
      id: 'record',
      head: t('activity.record'),
      cell: (event) => <RecordName event={event} />,
      className: 'max-w-72 truncate',
    },
    {
      id: 'when',
      head: t('activity.when'),
      cell: ({ createdAt }) => (
        <span className="whitespace-nowrap text-muted">
          <Since at={createdAt} />
        </span>
      ),
      className: 'md:w-40 md:text-right',
    },
  ];
  return <DataTable label={t('nav.activity')} columns={columns} rows={rows} keyOf={({ id }) => id} />;
}
