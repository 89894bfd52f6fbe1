import { ChevronDown, ChevronRight } from 'lucide-react';
import type { KeyboardEvent, RefObject } from 'react';
import type { RunFeed } from '../../../api/run-feed.ts';
import { useText } from '../../../i18n/text.ts';
import { durationText } from '../../../ui/time.tsx';
import { LogLine } from './log-line.tsx';
import type { LogGroup } from './log-model.ts';
import type { LogList } from './use-log-list.ts';
import type { LogSearch } from './use-log-search.ts';

type Props = {
  log: RunFeed['log'];
  list: LogList;
  box: RefObject<HTMLDivElement | null>;
  search: LogSearch;
  isTimed: boolean;
  isWrapped: boolean;
  onKeyDown: (event: KeyboardEvent) => void;
};

/** Scroll box of the lines. It stays mounted while it is empty, so that it can follow from the first line on. */
export function LogLines({ log, list, box, search, isTimed, isWrapped, onKeyDown }: Props) {
  const t = useText();
  const { virtualizer, rows, groups } = list;
  const current = search.at === undefined ? undefined : search.lines[search.at];
  return (
    <div
      ref={box}
      role="log"
      aria-live="off"
      aria-label={t('run.log.label')}
      aria-keyshortcuts="j k c n Shift+N / Home End"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is reached by the keyboard
      tabIndex={0}
      onKeyDown={onKeyDown}
      className={`max-h-[max(20rem,calc(100vh-17rem))] overflow-auto font-mono text-[12px] focus-visible:-outline-offset-2 ${log.count === 0 ? 'hidden' : ''}`}
    >
      <div className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => {
          const row = rows[item.index] ?? 0;
          const group = groups[-1 - row];
          const entry = log.entries[row];
          return (
            <div
              key={item.key}
              data-index={item.index}
              ref={isWrapped ? virtualizer.measureElement : undefined}
              className={`absolute top-0 left-0 ${isWrapped ? 'w-full' : 'min-w-full'}`}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              {row < 0 && group && <GroupHead log={log} list={list} group={group} />}
              {row >= 0 && entry && (
                <LogLine
                  entry={entry}
                  line={row}
                  isSelected={row === list.selected}
                  isCurrent={row === current}
                  pattern={search.pattern}
                  isTimed={isTimed}
                  isWrapped={isWrapped}
                  onSelect={list.select}
                />
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** Header of a phase that folds its lines. */
function GroupHead({ log, list, group }: Pick<Props, 'log' | 'list'> & { group: LogGroup }) {
  const t = useText();
  const isFolded = list.isFolded(group);
  const Icon = isFolded ? ChevronRight : ChevronDown;
  const from = log.entries[group.from]?.at ?? 0;
  const to = log.entries[group.to - 1]?.at ?? from;
  return (
    <button
      type="button"
      aria-expanded={!isFolded}
      onClick={() => list.toggle(group)}
      className="sticky left-0 flex h-[32px] w-full cursor-pointer items-center gap-2 bg-raised px-2 text-left font-sans text-sm font-medium focus-visible:-outline-offset-2"
    >
      <Icon size={14} aria-hidden="true" className="shrink-0 text-muted" />
      {t(`run.phase.${group.phase}`)}
      <span className="text-xs font-normal text-muted tabular-nums">
        {t('run.log.lines', { count: group.to - group.from })} · {durationText(to - from)}
      </span>
    </button>
  );
}
