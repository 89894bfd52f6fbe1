import { useInfiniteQuery } from '@tanstack/react-query';
import { activityQuery } from '../../../api/records.ts';
import { useWorkspaceId } from '../../../api/session.tsx';
import { ActivityTable } from '../../../components/activity/activity-table.tsx';
import { isNotable } from '../../../components/activity/notable.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { More } from '../../../components/more.tsx';
import { useText } from '../../../i18n/text.ts';
import { Card, Skeleton } from '../../../ui/surface.tsx';
import { useCapsule } from '../capsule-context.ts';

/** History of a Capsule, newest first. */
export function ActivityTab() {
  const t = useText();
  const { capsule } = useCapsule();
  const pages = useInfiniteQuery(activityQuery(useWorkspaceId(), { capsuleId: capsule.id, limit: '50' }));
  const rows = (pages.data?.pages.flatMap((page) => page.events) ?? []).filter(isNotable);
  return (
    <Card>
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('nav.activity')}</h2>
      {pages.isPending && <Skeleton lines={4} />}
      {pages.isLoadingError && (
        <div className="p-4">
          <ErrorNote error={pages.error} onAgain={() => void pages.refetch()} />
        </div>
      )}
      {rows.length > 0 && <ActivityTable rows={rows} />}
      {pages.isSuccess && rows.length === 0 && <p className="px-4 py-4 text-muted">{t('activity.empty.title')}</p>}
      <More pages={pages} />
    </Card>
  );
}
