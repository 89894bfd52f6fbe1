import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Filters } from '../../../api/filters.ts';
import { activityQuery } from '../../../api/records.ts';
import { useWorkspaceId } from '../../../api/session.tsx';
import { ActivityFilters } from '../../../components/activity/activity-filters.tsx';
import { ActivityTable } from '../../../components/activity/activity-table.tsx';
import { isNotable } from '../../../components/activity/notable.ts';
import type { ActivitySearch } from '../../../components/activity/search.ts';
import { EmptyList, ListCard } from '../../../components/list-page.tsx';
import { UnknownTabFilter } from '../../../components/page-error.tsx';
import { useText } from '../../../i18n/text.ts';
import { useCapsule } from '../capsule-context.ts';

/** History of a Capsule, newest first. The filters are stored in the URL. */
export function ActivityTab({ filters: { search, isUnknown } }: { filters: Filters<ActivitySearch> }) {
  const t = useText();
  const { id } = useCapsule().capsule;
  const navigate = useNavigate();
  const { kind, actor } = search;
  const pages = useInfiniteQuery(
    activityQuery(useWorkspaceId(), {
      capsuleId: id,
      ...(kind && { targetType: kind }),
      ...(actor !== undefined && { actorId: actor }),
      limit: '50',
    }),
  );
  const events = pages.data?.pages.flatMap((page) => page.events) ?? [];
  const rows = kind === undefined ? events.filter(isNotable) : events;
  const go = (next: ActivitySearch) =>
    void navigate({ to: '/capsules/$id/activity', params: { id }, search: next, replace: true, resetScroll: false });
  const show = (change: { [K in keyof ActivitySearch]: ActivitySearch[K] | undefined }) => {
    const next = Object.entries({ kind, actor, ...change }).filter(([, value]) => value !== undefined);
    go(Object.fromEntries(next) as ActivitySearch);
  };
  if (isUnknown) return <UnknownTabFilter onClear={() => go({})} />;
  const clear = { label: t('activity.clear'), onClear: () => go({}) };
  return (
    <>
      <ActivityFilters search={search} onChange={show} isOfCapsule />
      <ListCard
        pages={pages}
        count={rows.length}
        sofar={t('activity.nothing.text')}
        empty={<EmptyList title={t('activity.nothing.title')} text={t('activity.nothing.text')} clear={clear} />}
      >
        <ActivityTable rows={rows} />
      </ListCard>
    </>
  );
}
