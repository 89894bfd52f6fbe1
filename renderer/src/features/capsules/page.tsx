import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { type Capsule, capsuleStatuses } from '#shared/capsules/contract';
import { favoritesQuery } from '../../api/favorites.ts';
import { capsulesQuery } from '../../api/records.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { CapsuleMarks } from '../../components/capsule-marks.tsx';
import { FavoriteStar } from '../../components/favorite-star.tsx';
import { Labels } from '../../components/labels.tsx';
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
  const { q, status, label, gone } = search;
  const wantsGone = gone === true || status === 'destroyed';
  const pages = useInfiniteQuery(
    capsulesQuery(workspaceId, {
      ...(q !== undefined && { q }),
      ...(label !== undefined && { label }),
      includeDestroyed: wantsGone ? '1' : '0',
    }),
  );
  const capsules = pages.data?.pages.flatMap((page) => page.capsules) ?? [];
  const isFiltered = q !== undefined || status !== undefined || label !== undefined;
  const favorites = useQuery(favoritesQuery(workspaceId)).data;
  const rows = rowsOf(capsules, { status, first: isFiltered ? [] : (favorites ?? []) });
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
      empty={<NoCapsules isFiltered={isFiltered} onClear={() => show(nothing)} />}
      tools={
        <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
          <SearchField
            label={t('capsules.search')}
            value={q ?? ''}
            onSearch={(text) => show({ q: text || undefined })}
          />
          <StatusFilter status={status} onChange={(one) => show({ status: one })} />
          {label !== undefined && <LabelFilter label={label} onClear={() => show({ label: undefined })} />}
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

const nothing = { q: undefined, status: undefined, label: undefined, gone: undefined };

/** Favorites are first, and not repeated where the list has them. */
function rowsOf(
  capsules: readonly Capsule[],
  { status, first }: { status: CapsulesSearch['status']; first: readonly Capsule[] },
): Capsule[] {
  const listed = new Map(capsules.map((capsule) => [capsule.id, capsule]));
  const ids = new Set(first.map(({ id }) => id));
  return [
    ...first.map((capsule) => listed.get(capsule.id) ?? capsule),
    ...capsules.filter((capsule) => !ids.has(capsule.id) && (status === undefined || capsule.status === status)),
  ];
}

/** The label that the list is filtered by, and a button that removes the filter. */
function LabelFilter({ label, onClear }: { label: string; onClear: () => void }) {
  const t = useText();
  return (
    <button
      type="button"
      onClick={onClear}
      aria-label={t('labels.clear', { label })}
      className="inline-flex min-h-9 max-w-full items-center gap-1.5 rounded-full border border-accent px-3 break-all hover:bg-raised"
    >
      {label}
      <X size={14} aria-hidden="true" className="shrink-0" />
    </button>
  );
}

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
      cell: (capsule) => (
        <span className="flex flex-wrap items-center gap-x-2">
          <FavoriteStar capsule={capsule} />
          <Link to="/capsules/$id" params={{ id: capsule.id }} data-row className={`${rowLinkClass} break-words`}>
            {visibleText(capsule.name)}
          </Link>
          <span className="text-xs text-muted">{capsule.environment}</span>
          <Labels labels={capsule.labels} />
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
