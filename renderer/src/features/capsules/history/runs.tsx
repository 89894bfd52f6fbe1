import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { RunRow } from '#shared/runs/contract';
import { workEndOf } from '#shared/runs/work-end';
import { runsQuery } from '../../../api/records.ts';
import { isAtWork } from '../../../api/run-record.ts';
import { useWorkspaceId } from '../../../api/session.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { More } from '../../../components/more.tsx';
import { runStatusText, runTypeText } from '../../../components/run-status.ts';
import { runErrorText } from '../../../components/status-text.ts';
import { useWho } from '../../../components/who.ts';
import { useText } from '../../../i18n/text.ts';
import { type Column, DataTable, rowLinkClass } from '../../../ui/data-table.tsx';
import { RunChanges } from '../../../ui/run-changes.tsx';
import { StatusBadge } from '../../../ui/status-badge.tsx';
import { Card, Skeleton } from '../../../ui/surface.tsx';
import { Elapsed, Since } from '../../../ui/time.tsx';

/** Every Run of a Capsule, newest first. */
export function CapsuleHistory({ capsuleId }: { capsuleId: string }) {
  const t = useText();
  const pages = useInfiniteQuery(runsQuery(useWorkspaceId(), { capsuleId, limit: '20' }));
  const rows = pages.data?.pages.flatMap((page) => page.runs) ?? [];
  return (
    <Card>
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('history.title')}</h2>
      {pages.isPending && <Skeleton lines={4} />}
      {pages.isLoadingError && (
        <div className="p-4">
          <ErrorNote error={pages.error} onAgain={() => void pages.refetch()} />
        </div>
      )}
      {rows.length > 0 && <RunTable rows={rows} />}
      {pages.isSuccess && rows.length === 0 && <p className="px-4 py-4 text-muted">{t('history.none')}</p>}
      <More pages={pages} />
    </Card>
  );
}

function RunTable({ rows }: { rows: readonly RunRow[] }) {
  const t = useText();
  const who = useWho();
  const columns: Column<RunRow>[] = [
    { id: 'run', head: 'Run', cell: (run) => <RunName run={run} />, className: 'md:w-40' },
    { id: 'status', head: t('history.status'), cell: (run) => <RunState run={run} /> },
    {
      id: 'changes',
      head: t('history.changes'),
      cell: (run) => <RunChanges run={run} />,
    },
    {
      id: 'who',
      head: t('history.who'),
      cell: (run) => <span className="text-muted">{who(run.createdBy)}</span>,
      className: 'max-w-40 truncate',
    },
    { id: 'when', head: t('history.when'), cell: (run) => <RunTime run={run} />, className: 'md:text-right' },
  ];
  return <DataTable label={t('history.title')} columns={columns} rows={rows} keyOf={({ id }) => id} />;
}

function RunName({ run }: { run: RunRow }) {
  const t = useText();
  return (
    <Link to="/runs/$id" params={{ id: run.id }} data-row className={rowLinkClass}>
      {t(runTypeText(run))}
    </Link>
  );
}

function RunState({ run }: { run: RunRow }) {
  const t = useText();
  return (
    <span className="inline-flex flex-wrap items-center gap-2" title={run.errorCode && t(runErrorText(run.errorCode))}>
      <StatusBadge statusText={runStatusText(run)} />
      {run.applyRunId && <span className="text-xs text-muted">{t('history.applied')}</span>}
    </span>
  );
}

function RunTime({ run }: { run: RunRow }) {
  const end = isAtWork(run.status) ? undefined : workEndOf(run);
  return (
    <span className="whitespace-nowrap text-muted">
      {run.startedAt && (end !== undefined || isAtWork(run.status)) && (
        <>
          <Elapsed from={Date.parse(run.startedAt)} to={end} />
          {' · '}
        </>
      )}
      <Since at={run.createdAt} />
    </span>
  );
}
