import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { RunRow } from '#shared/runs/contract';
import { workEndOf } from '#shared/runs/work-end';
import { isAwaited } from '../../api/awaited.ts';
import type { ListedChange } from '../../api/changes.ts';
import { sourcesQuery, subjectsQuery } from '../../api/records.ts';
import { isAtWork } from '../../api/run-record.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { whenKnown } from '../../api/when-known.ts';
import { useText } from '../../i18n/text.ts';
import { ChangeCounts } from '../../ui/change-counts.tsx';
import { type Column, DataTable, rowLinkClass } from '../../ui/data-table.tsx';
import { RunChanges } from '../../ui/run-changes.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Elapsed, Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { runStatusText, runTypeText } from '../run-status.ts';
import { runErrorText } from '../status-text.ts';
import { useWho } from '../who.ts';
import { GroupName, GroupState } from './group-cells.tsx';

type Props = {
  rows: readonly ListedChange[];
  /** True on a page of the Capsule, which is not named again in each row. */
  isOfCapsule?: boolean;
};

/** Table of changes: type, Capsule or Source, status, changes, actor and time. A plan and its apply are one row. */
export function RunTable({ rows, isOfCapsule = false }: Props) {
  const t = useText();
  const who = useWho();
  const sourceNames = useSourceNames();
  const subjects = useSubjects(rows.flatMap((row) => (row.kind === 'run' ? [row.run] : [])));
  const columns: Column<ListedChange>[] = [
    {
      id: 'run',
      head: 'Run',
      cell: (row) =>
        row.kind === 'group' ? (
          <GroupName group={row.change} />
        ) : (
          <RunName
            run={row.apply ?? row.run}
            name={
              isOfCapsule ? undefined : (row.run.capsuleName ?? (row.run.sourceId && sourceNames.get(row.run.sourceId)))
            }
            environment={isOfCapsule ? undefined : row.run.environment}
          />
        ),
    },
    {
      id: 'status',
      head: t('runs.status'),
      cell: (row) =>
        row.kind === 'group' ? <GroupState group={row.change} /> : <RunState run={row.apply ?? row.run} />,
      className: 'md:w-60',
    },
    { id: 'changes', head: t('history.changes'), cell: (row) => <Changes row={row} />, className: 'md:w-40' },
    {
      id: 'commit',
      head: t('run.commit'),
      cell: (row) => row.kind === 'run' && <Commit run={row.run} subjects={subjects} />,
      className: 'md:w-44',
    },
    {
      id: 'who',
      head: t('history.who'),
      cell: (row) => (
        <span className="text-muted">
          {row.kind === 'group' ? who(row.change.createdBy) : who(row.run.createdBy, row.run.trigger)}
        </span>
      ),
      className: 'max-w-32 truncate',
    },
    {
      id: 'when',
      head: t('history.when'),
      cell: (row) =>
        row.kind === 'group' ? (
          <span className="whitespace-nowrap text-muted">
            <Since at={row.change.createdAt} />
          </span>
        ) : (
          <RunTime run={row.apply ?? row.run} />
        ),
      className: 'md:w-48 md:text-right',
    },
  ];
  return <DataTable label={t('nav.runs')} columns={columns} rows={rows} keyOf={({ id }) => id} />;
}

/** Changes that an apply made, or that a plan would make. */
function Changes({ row }: { row: ListedChange }) {
  if (row.change.applied) return <ChangeCounts counts={row.change.applied} isDone />;
  return row.kind === 'run' && row.apply === undefined ? <RunChanges run={row.run} /> : null;
}

/** Recently changed Sources by id: a sync and a check belong to one. */
function useSourceNames(): ReadonlyMap<string, string> {
  const { data } = useInfiniteQuery(sourcesQuery(useWorkspaceId()));
  return new Map(data?.pages.flatMap((page) => page.sources).map(({ id, name }) => [id, name]));
}

type NameProps = { run: RunRow; name: string | undefined; environment: string | undefined };

function RunName({ run, name, environment }: NameProps) {
  const t = useText();
  return (
    <span className="flex min-w-0 flex-wrap items-baseline gap-x-2">
      <Link to="/runs/$id" params={{ id: run.id }} data-row className={`${rowLinkClass} break-words`}>
        {t(runTypeText(run))}
        {name !== undefined && (
          <span className="font-normal text-muted">
            {' · '}
            <span className="text-ink">{visibleText(name)}</span>
          </span>
        )}
      </Link>
      {environment !== undefined && environment !== 'default' && (
        <span className="text-xs text-muted">{visibleText(environment)}</span>
      )}
    </span>
  );
}

function RunState({ run }: { run: RunRow }) {
  const t = useText();
  return (
    <span className="inline-flex flex-wrap items-center gap-2" title={run.errorCode && t(runErrorText(run.errorCode))}>
      <StatusBadge statusText={runStatusText(run)} />
    </span>
  );
}

/** Most ids that one request accepts. */
const subjectsAtOnce = 100;

type Subjects = { bySnapshot: ReadonlyMap<string, string>; areAwaited: boolean };

/** Subjects of the commits of the newest rows, with one request for all of them. */
function useSubjects(rows: readonly RunRow[]): Subjects {
  const workspaceId = useWorkspaceId();
  const ids = new Set(
    rows.flatMap(({ sourceSnapshotId }) => (sourceSnapshotId === undefined ? [] : [sourceSnapshotId])),
  );
  const list = [...ids].slice(0, subjectsAtOnce).join(',');
  const options = whenKnown(list === '' ? undefined : list, (known) => subjectsQuery(workspaceId, known));
  const query = useQuery({ ...options, placeholderData: keepPreviousData });
  return { bySnapshot: query.data ?? new Map(), areAwaited: isAwaited(query) || query.isPlaceholderData };
}

type CommitProps = { run: RunRow; subjects: Subjects };

function Commit({ run: { resolvedCommit, sourceSnapshotId }, subjects }: CommitProps) {
  const t = useText();
  const subject = sourceSnapshotId === undefined ? undefined : subjects.bySnapshot.get(sourceSnapshotId);
  const isSubjectAwaited = sourceSnapshotId !== undefined && subjects.areAwaited;
  if (resolvedCommit === undefined) return null;
  return (
    <span className="flex min-w-0 flex-col text-muted">
      <code title={visibleText(resolvedCommit)} className="font-mono text-[0.93em]">
        {visibleText(resolvedCommit.slice(0, 8))}
      </code>
      {subject !== undefined && (
        <span title={`${visibleText(subject)} (${t('commit.unverified')})`} className="truncate text-xs md:max-w-40">
          {visibleText(subject)}
        </span>
      )}
      {subject === undefined && isSubjectAwaited && <span className="text-xs">&nbsp;</span>}
    </span>
  );
}

function RunTime({ run }: { run: RunRow }) {
  const { startedAt, status, createdAt } = run;
  const end = isAtWork(status) ? undefined : workEndOf(run);
  const isTimed = startedAt !== undefined && (end !== undefined || isAtWork(status));
  return (
    <span className="whitespace-nowrap text-muted">
      {isTimed && (
        <>
          <Elapsed from={Date.parse(startedAt)} to={end} />
          {' · '}
        </>
      )}
      <Since at={createdAt} />
    </span>
  );
}
