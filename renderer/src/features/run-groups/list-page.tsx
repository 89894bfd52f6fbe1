import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { RunGroup, RunGroupGraph } from '#shared/run-groups/contract';
import { runGroupsQuery } from '../../api/groups.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { ListPage } from '../../components/list-page.tsx';
import { runStatusTexts } from '../../components/status-text.ts';
import { useText } from '../../i18n/text.ts';
import { buttonClass } from '../../ui/button.tsx';
import { type Column, DataTable, rowLinkClass } from '../../ui/data-table.tsx';
import { numberText } from '../../ui/number-text.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { EmptyState } from '../../ui/surface.tsx';
import { Since } from '../../ui/time.tsx';

const sizeOf = ({ graphJson }: RunGroup): number => (JSON.parse(graphJson) as RunGroupGraph).order.flat().length;

/** RunGroups of the Workspace, newest first. */
export function RunGroupsPage() {
  const t = useText();
  const pages = useInfiniteQuery(runGroupsQuery(useWorkspaceId()));
  const rows = pages.data?.pages.flatMap((page) => page.runGroups) ?? [];
  return (
    <ListPage
      title={t('groups.title')}
      lead={t('groups.lead')}
      tools={null}
      pages={pages}
      count={rows.length}
      empty={<NoGroups />}
    >
      <GroupTable rows={rows} />
    </ListPage>
  );
}

function NoGroups() {
  const t = useText();
  const action = (
    <Link to="/capsules" className={buttonClass('primary')}>
      {t('nav.capsules')}
    </Link>
  );
  return <EmptyState title={t('groups.empty.title')} text={t('groups.empty.text')} action={action} />;
}

function GroupTable({ rows }: { rows: readonly RunGroup[] }) {
  const t = useText();
  const columns: Column<RunGroup>[] = [
    {
      id: 'group',
      head: t('group.link'),
      cell: ({ id, type }) => (
        <Link to="/run-groups/$id" params={{ id }} data-row className={rowLinkClass}>
          {t(`group.title.${type}`)}
        </Link>
      ),
    },
    {
      id: 'size',
      head: t('nav.capsules'),
      cell: (group) => <span className="tabular-nums">{numberText(sizeOf(group))}</span>,
      className: 'md:w-32',
    },
    {
      id: 'status',
      head: t('capsules.status'),
      cell: ({ status }) => <StatusBadge statusText={runStatusTexts[status]} />,
      className: 'md:w-48',
    },
    {
      id: 'when',
      head: t('capsules.when'),
      cell: ({ createdAt }) => (
        <span className="text-muted">
          <Since at={createdAt} />
        </span>
      ),
      className: 'md:w-40',
    },
  ];
  return <DataTable label={t('groups.title')} columns={columns} rows={rows} keyOf={({ id }) => id} />;
}
