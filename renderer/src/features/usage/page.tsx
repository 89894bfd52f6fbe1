import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { UsageEvent } from '#shared/usage/contract';
import { usageQuery } from '../../api/groups.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { findText, useText } from '../../i18n/text.ts';
import { type Column, DataTable, rowLinkClass } from '../../ui/data-table.tsx';
import { EmptyList, ListPage } from '../../ui/list-page.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';

/** What the Runs of the Workspace have used, newest first. */
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
  const columns: Column<UsageEvent>[] = [
    { id: 'what', head: t('usage.what'), cell: ({ kind }) => t(findText(`usage.${kind}`) ?? 'usage.runner_minutes') },
    {
      id: 'amount',
      head: t('usage.amount'),
      cell: ({ quantity }) => <span className="tabular-nums">{quantity.toFixed(2)}</span>,
      className: 'md:w-32 md:text-right',
    },
    { id: 'run', head: t('usage.run'), cell: (event) => <UsedBy event={event} />, className: 'md:w-60' },
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

function UsedBy({ event: { runId } }: { event: UsageEvent }) {
  const t = useText();
  if (runId === undefined) return null;
  return (
    <Link to="/runs/$id" params={{ id: runId }} data-row className={rowLinkClass}>
      {t('usage.run')} <code className="font-mono text-[0.93em] text-muted">{visibleText(runId.slice(-8))}</code>
    </Link>
  );
}
