import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { UsageEvent } from '#shared/usage/contract';
import { usageQuery } from '../../api/groups.ts';
import { capsulesQuery } from '../../api/records.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { EmptyList, ListPage } from '../../components/list-page.tsx';
import { useText } from '../../i18n/text.ts';
import { type Column, DataTable, rowLinkClass } from '../../ui/data-table.tsx';
import { durationText, Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';

/** Usage of the Runs of the Workspace, newest first. */
export function UsagePage() {
  const t = useText();
  const pages = useInfiniteQuery(usageQuery(useWorkspaceId()));
  const rows = pages.data?.pages.flatMap((page) => page.usageEvents) ?? [];
  return (
    <ListPage
      title={t('usage.title')}
      lead={t('usage.lead')}
      tools={null}
      pages={pages}
      count={rows.length}
      empty={<EmptyList title={t('usage.empty.title')} text={t('usage.empty.text')} />}
    >
      <UsageTable rows={rows} />
    </ListPage>
  );
}

function UsageTable({ rows }: { rows: readonly UsageEvent[] }) {
  const t = useText();
  const { data } = useInfiniteQuery(capsulesQuery(useWorkspaceId(), { includeDestroyed: '1' }));
  const names = new Map(data?.pages.flatMap((page) => page.capsules).map(({ id, name }) => [id, name]));
  const columns: Column<UsageEvent>[] = [
    { id: 'run', head: t('usage.run'), cell: (event) => <UsedBy event={event} names={names} /> },
    {
      id: 'amount',
      head: t('usage.amount'),
      cell: ({ quantity }) => <span className="tabular-nums">{durationText(quantity * 60_000)}</span>,
      className: 'md:w-40 md:text-right',
    },
    {
      id: 'when',
      head: t('usage.when'),
      cell: ({ createdAt }) => (
        <span className="text-muted">
          <Since at={createdAt} />
        </span>
      ),
      className: 'md:w-40',
    },
  ];
  return <DataTable label={t('usage.title')} columns={columns} rows={rows} keyOf={({ id }) => id} />;
}

type UsedByProps = { event: UsageEvent; names: ReadonlyMap<string, string> };

function UsedBy({ event: { runId, capsuleId }, names }: UsedByProps) {
  const t = useText();
  if (runId === undefined) return null;
  return (
    <Link to="/runs/$id" params={{ id: runId }} data-row className={rowLinkClass}>
      {visibleText((capsuleId && names.get(capsuleId)) ?? t('usage.run'))}{' '}
      <code className="font-mono text-[0.93em] text-muted">{visibleText(runId.slice(-8))}</code>
    </Link>
  );
}
