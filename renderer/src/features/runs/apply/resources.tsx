import { useVirtualizer } from '@tanstack/react-virtual';
import { Check, Circle, CircleSlash, X } from 'lucide-react';
import { useCallback, useMemo, useRef } from 'react';
import type { Run } from '#shared/runs/contract';
import type { RunFeed } from '../../../api/run-feed.ts';
import { hasEnded } from '../../../api/run-record.ts';
import { type TextId, useText } from '../../../i18n/text.ts';
import { Spinner } from '../../../ui/button.tsx';
import { Card, EmptyState } from '../../../ui/surface.tsx';
import { Elapsed } from '../../../ui/time.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { type Progress, progressOf, type ResourceRow, type RowState, resourceRows } from './resource-rows.ts';

const stateStyles: Record<RowState, { icon: typeof Check | undefined; tone: string; text: TextId }> = {
  waiting: { icon: Circle, tone: 'text-muted', text: 'run.resource.waiting' },
  running: { icon: undefined, tone: 'text-accent', text: 'run.resource.running' },
  done: { icon: Check, tone: 'text-good', text: 'run.resource.done' },
  failed: { icon: X, tone: 'text-bad', text: 'run.resource.failed' },
  stopped: { icon: CircleSlash, tone: 'text-warn', text: 'run.resource.stopped' },
  unreached: { icon: CircleSlash, tone: 'text-muted', text: 'run.resource.unreached' },
};
const actionTexts: Readonly<Record<string, { text: TextId; tone: string }>> = {
  create: { text: 'run.action.create', tone: 'text-good' },
  update: { text: 'run.action.update', tone: 'text-warn' },
  delete: { text: 'run.action.delete', tone: 'text-bad' },
  read: { text: 'run.action.read', tone: 'text-muted' },
  import: { text: 'run.action.import', tone: 'text-accent' },
};

/** Resources of an apply, each with its action, status and timer. */
export function Resources({ run, feed, plan }: { run: Run; feed: RunFeed; plan: Run | undefined }) {
  const t = useText();
  const isOver = hasEnded(run.status);
  const rows = useMemo(
    () => resourceRows(feed.resources, { planned: plan?.planResources ?? [], isOver }),
    [feed.resources, plan, isOver],
  );
  const progress = progressOf(feed.resources, run.summary ?? plan?.summary);
  if (rows.length === 0) {
    return (
      <Card>
        <EmptyState
          title={t(isOver ? 'run.resource.noneTitle' : 'run.resource.preparingTitle')}
          text={t(isOver ? 'run.resource.noneText' : 'run.resource.preparingText')}
        />
      </Card>
    );
  }
  return (
    <Card className="overflow-hidden">
      <ProgressLine progress={progress} isOver={isOver} />
      <ResourceList rows={rows} />
    </Card>
  );
}

function ProgressLine({ progress, isOver }: { progress: Progress; isOver: boolean }) {
  const t = useText();
  const { done, failed, total } = progress;
  const share = (count: number) => `${total === 0 ? 0 : (count / total) * 100}%`;
  return (
    <div className="border-b border-line px-4 py-3">
      <p className="flex flex-wrap justify-between gap-2">
        <span aria-live="polite" className="font-medium">
          {t('run.resource.progress', { done, total })}
          {failed > 0 && <span className="text-bad"> · {t('run.resource.failedCount', { count: failed })}</span>}
        </span>
        {!isOver && progress.running > 0 && (
          <span className="text-muted">{t('run.resource.runningCount', { count: progress.running })}</span>
        )}
      </p>
      <div
        role="progressbar"
        aria-label={t('run.resource.progressLabel')}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={done}
        className="mt-2 flex h-1.5 overflow-hidden rounded-full bg-raised"
      >
        <span className="bg-good transition-[width]" style={{ width: share(done) }} />
        <span className="bg-bad transition-[width]" style={{ width: share(failed) }} />
      </div>
    </div>
  );
}

function ResourceList({ rows }: { rows: readonly ResourceRow[] }) {
  const t = useText();
  const box = useRef<HTMLDivElement>(null);
  const keyOf = useCallback((index: number) => rows[index]?.key ?? index, [rows]);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => 35,
    getItemKey: keyOf,
    overscan: 12,
  });
  return (
    <div
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is reached by the keyboard
      tabIndex={0}
      className="max-h-[max(20rem,calc(100vh-18rem))] overflow-auto focus-visible:-outline-offset-2"
    >
      <ul aria-label={t('run.tab.resources')} className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => {
          const row = rows[item.index];
          return (
            row && (
              <li
                key={item.key}
                aria-setsize={rows.length}
                aria-posinset={item.index + 1}
                data-index={item.index}
                ref={virtualizer.measureElement}
                className={`absolute top-0 left-0 flex w-full items-start gap-3 border-line px-4 py-2 ${item.index === rows.length - 1 ? '' : 'border-b'}`}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <ResourceCells row={row} />
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}

function ResourceCells({ row }: { row: ResourceRow }) {
  const t = useText();
  const { address, action, state, startedAt, finishedAt } = row;
  const { icon: Icon, tone, text } = stateStyles[state];
  const known = actionTexts[action];
  return (
    <>
      <span className={`flex h-5 w-4 shrink-0 items-center justify-center ${tone}`}>
        {Icon ? <Icon size={15} aria-hidden="true" /> : <Spinner />}
        <span className="sr-only">{t(text)}</span>
      </span>
      <span className={`w-16 shrink-0 text-sm font-medium ${known?.tone ?? 'text-muted'}`}>
        {known ? t(known.text) : visibleText(action)}
      </span>
      <span className="min-w-0 flex-1 font-mono text-[13px] break-all">{visibleText(address)}</span>
      <span className="shrink-0 text-right text-xs leading-5 text-muted">
        {startedAt === undefined || (state === 'stopped' && finishedAt === undefined) ? (
          <span aria-hidden="true">{t(text)}</span>
        ) : (
          <Elapsed from={startedAt} to={finishedAt} />
        )}
      </span>
    </>
  );
}
