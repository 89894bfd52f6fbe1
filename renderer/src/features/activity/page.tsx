import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { activityQuery } from '../../api/records.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { ActivityFilters } from '../../components/activity/activity-filters.tsx';
import { ActivityTable } from '../../components/activity/activity-table.tsx';
import { isNotable } from '../../components/activity/notable.ts';
import type { ActivitySearch } from '../../components/activity/search.ts';
import { EmptyList, ListPage } from '../../components/list-page.tsx';
import { useText } from '../../i18n/text.ts';

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
