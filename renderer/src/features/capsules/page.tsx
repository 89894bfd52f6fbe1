import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type Capsule, capsuleStatuses } from '#shared/capsules/contract';
import { capsulesQuery } from '../../api/records.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { CapsuleMarks } from '../../components/capsule-marks.tsx';
import { EmptyList, ListPage } from '../../components/list-page.tsx';
import { runStatusText } from '../../components/run-status.ts';
import { capsuleStatusText, capsuleStatusTexts, runTypeTexts } from '../../components/status-text.ts';
import { useText } from '../../i18n/text.ts';
import { ChangeCounts } from '../../ui/change-counts.tsx';
import { type Column, DataTable, rowLinkClass } from '../../ui/data-table.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import type { CapsulesSearch } from './search.ts';
import { WorkspaceActions } from './workspace-actions.tsx';

/** Capsules of the Workspace, recently changed ones first. */
export function CapsulesPage({ search }: { search: CapsulesSearch }) {
  const t = useText();
  const workspaceId = useWorkspaceId();
  const navigate = useNavigate();
  const { q, status, gone } = search;
  const wantsGone = gone === true || status === 'destroyed';
  const pages = useInfiniteQuery(
    capsulesQuery(workspaceId, { ...(q !== undefined && { q }), includeDestroyed: wantsGone ? '1' : '0' }),
  );
  const capsules = pages.data?.pages.flatMap((page) => page.capsules) ?? [];
  const rows = status === undefined ? capsules : capsules.filter((capsule) => capsule.status === status);
  const show = (change: { [K in keyof CapsulesSearch]: CapsulesSearch[K] | undefined }) => {
    const next = Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined);
    void navigate({ to: '/capsules', search: Object.fromEntries(next) as CapsulesSearch, replace: true });
  };
  return (
    <ListPage
      title={t('nav.capsules')}
      lead={t('capsules.lead')}
      pages={pages}
      count={rows.length}
      sofar={t('capsules.nothing.sofar', { count: capsules.length })}
      empty={<NoCapsules isFiltered={q !== undefined || status !== undefined} onClear={() => show(nothing)} />}
      tools={
        <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
          <SearchField
            label={t('capsules.search')}
            value={q ?? ''}
            onSearch={(text) => show({ q: text || undefined })}
          />
          <StatusFilter status={status} onChange={(one) => show({ status: one })} />
          <label className="flex items-center gap-2 text-muted">
            <input
              type="checkbox"
              className="size-4 accent-accent"
              checked={wantsGone}
              onChange={({ target }) =>
                show({ gone: target.checked || undefined, ...(status === 'destroyed' && { status: undefined }) })
              }
            />
            {t('capsules.gone')}
          </label>
          {capsules.length > 0 && <WorkspaceActions />}
        </div>
      }
    >
      <CapsuleTable rows={rows} />
    </ListPage>
  );
}

const nothing = { q: undefined, status: undefined, gone: undefined };

function StatusFilter(props: { status: CapsulesSearch['status']; onChange: (one: CapsulesSearch['status']) => void }) {
  const t = useText();
  return (
    <label className="flex items-center gap-2 text-muted">
      {t('capsules.status')}
      <select
        className="min-h-9 rounded-md border border-line-strong/60 bg-card px-2 text-ink"
        value={props.status ?? ''}
        onChange={({ target }) => props.onChange(capsuleStatuses.find((one) => one === target.value))}
      >
        <option value="">{t('capsules.status.any')}</option>
        {capsuleStatuses.map((one) => (
          <option key={one} value={one}>
            {t(capsuleStatusTexts[one].text)}
          </option>
        ))}
      </select>
    </label>
  );
}

function NoCapsules({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  const t = useText();
  if (!isFiltered) return <EmptyList title={t('capsules.empty.title')} text={t('capsules.empty.text')} />;
  const clear = { label: t('capsules.nothing.clear'), onClear };
  return <EmptyList title={t('capsules.nothing.title')} text={t('capsules.nothing.text')} clear={clear} />;
}

function CapsuleTable({ rows }: { rows: readonly Capsule[] }) {
  const t = useText();
  const columns: Column<Capsule>[] = [
    {
      id: 'name',
      head: 'Capsule',
      cell: ({ id, name, environment }) => (
        <span className="flex flex-wrap items-baseline gap-x-2">
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
        <span className="flex flex-wrap gap-1">
          <StatusBadge statusText={capsuleStatusText(capsule)} />
          <CapsuleMarks capsule={capsule} />
        </span>
      ),
      className: 'md:w-44',
    },
    {
      id: 'run',
      head: t('capsules.lastrun'),
      cell: (capsule) => <LastRun capsule={capsule} />,
      className: 'md:w-[19rem]',
    },
    {
      id: 'when',
      head: t('capsules.when'),
      cell: ({ latestRun, updatedAt }) => (
        <span className="text-muted">
          <Since at={latestRun?.finishedAt ?? latestRun?.createdAt ?? updatedAt} />
        </span>
      ),
      className: 'md:w-36 whitespace-nowrap',
    },
  ];
  return <DataTable label={t('nav.capsules')} columns={columns} rows={rows} keyOf={({ id }) => id} />;
}

/** Status of the newest Run: what it waits for, else its result. */
function LastRun({ capsule: { latestRun: run } }: { capsule: Capsule }) {
  const t = useText();
  if (!run) return <span className="text-muted">{t('capsules.norun')}</span>;
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <span>{t(runTypeTexts[run.type])}</span>
      <StatusBadge statusText={runStatusText(run)} />
      {run.awaits && run.summary && <ChangeCounts counts={run.summary} />}
    </span>
  );
}
