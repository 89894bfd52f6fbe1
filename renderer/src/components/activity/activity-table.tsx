import type { ActivityEvent } from '#shared/activity/contract';
import { useText } from '../../i18n/text.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Since } from '../../ui/time.tsx';
import { RecordLink, RecordName } from './record-link.tsx';

/** Rows of the history, newest first, with links to their records. */
export function ActivityTable({ rows }: { rows: readonly ActivityEvent[] }) {
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
