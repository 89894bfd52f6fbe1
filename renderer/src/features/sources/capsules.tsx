import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Capsule } from '#shared/capsules/contract';
import { capsulesQuery } from '../../api/records.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { CapsuleMarks } from '../../components/capsule-marks.tsx';
import { ListCard } from '../../components/list-page.tsx';
import { capsuleStatusText } from '../../components/status-text.ts';
import { useText } from '../../i18n/text.ts';
import { type Column, DataTable, rowLinkClass } from '../../ui/data-table.tsx';
import { Lane } from '../../ui/lane.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { visibleText } from '../../ui/visible-text.ts';

/** Capsules that run from a Source, with the ref and commit of each. */
export function SourceCapsules({ sourceId }: { sourceId: string }) {
  const t = useText();
  const filter = { sourceId, includeDestroyed: '0' as const, limit: '20' };
  const pages = useInfiniteQuery(capsulesQuery(useWorkspaceId(), filter));
  const rows = pages.data?.pages.flatMap((page) => page.capsules) ?? [];
  return (
    <section aria-label={t('source.capsules')}>
      <h2 className="mb-2 font-semibold">{t('source.capsules')}</h2>
      <ListCard
        pages={pages}
        count={rows.length}
        empty={<p className="px-4 py-4 text-muted">{t('source.capsules.none')}</p>}
      >
        <CapsuleTable rows={rows} />
      </ListCard>
    </section>
  );
}

function CapsuleTable({ rows }: { rows: readonly Capsule[] }) {
  const t = useText();
  const columns: Column<Capsule>[] = [
    {
      id: 'name',
      head: 'Capsule',
      cell: ({ id, name, environment }) => (
        <span className="flex min-w-0 flex-wrap items-baseline gap-x-2">
          <Link to="/capsules/$id" params={{ id }} data-row className={`${rowLinkClass} break-words`}>
            {visibleText(name)}
          </Link>
          <span className="text-xs text-muted">{environment}</span>
        </span>
      ),
    },
    {
      id: 'status',
      head: t('capsules.status'),
      cell: (capsule) => (
        <span className="flex flex-wrap items-center gap-1">
          <StatusBadge statusText={capsuleStatusText(capsule)} />
          <CapsuleMarks capsule={capsule} />
        </span>
      ),
    },
    {
      id: 'ref',
      head: t('source.capsules.ref'),
      cell: ({ adoptedSourceRevision: at }) => at && <Lane of={at} />,
    },
    {
      id: 'commit',
      head: t('run.commit'),
      cell: ({ adoptedSourceRevision: at }) =>
        at && (
          <code title={visibleText(at.resolvedCommit)} className="font-mono text-[0.93em] text-muted">
            {visibleText(at.resolvedCommit.slice(0, 8))}
          </code>
        ),
    },
  ];
  return <DataTable label={t('source.capsules')} columns={columns} rows={rows} keyOf={({ id }) => id} />;
}
