import { defaultRangeExtractor, type Range, useWindowVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useRef } from 'react';
import { useText } from '../../i18n/text.ts';
import { useTopOf } from '../../ui/use-top-of.ts';
import { RowView } from './row-view.tsx';
import type { Row } from './tree.ts';
import type { ActiveRow } from './use-active-row.ts';

const heights: Readonly<Record<Row['type'], number>> = { section: 44, module: 36, resource: 52, output: 36 };
const openHeight = 260;

type Props = { rows: readonly Row[]; active: ActiveRow; onToggle: (row: Row) => void };

/** Lines of the plan, of which only the visible ones and the active one are rendered. The page itself scrolls. */
export function ChangeList({ rows, active, onToggle }: Props) {
  const t = useText();
  const box = useRef<HTMLUListElement>(null);
  const scrollMargin = useTopOf(box);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    scrollMargin,
    // Open lines are tall: few of them fill a screen.
    overscan: isMostlyOpen(rows) ? 2 : 8,
    estimateSize: (index) => estimate(rows[index]),
    // A line has different heights folded and open; both are cached.
    getItemKey: useCallback((index: number) => sizeKey(rows[index]), [rows]),
    rangeExtractor: useCallback((range: Range) => withActive(range, active.index), [active.index]),
  });
  return (
    <ul
      ref={box}
      aria-label={t('plan.list')}
      className="relative rounded-b-lg border border-t-0 border-line bg-card"
      style={{ height: virtualizer.getTotalSize() }}
    >
      {virtualizer.getVirtualItems().map((item) => {
        const row = rows[item.index];
        return (
          row && (
            <li
              key={row.id}
              ref={virtualizer.measureElement}
              data-index={item.index}
              aria-setsize={rows.length}
              aria-posinset={item.index + 1}
              className="absolute top-0 left-0 w-full"
              style={{ transform: `translateY(${item.start - scrollMargin}px)` }}
            >
              <RowView row={row} isActive={row.id === active.id} onToggle={onToggle} onFocus={active.follow} />
            </li>
          )
        );
      })}
    </ul>
  );
}

const estimate = (row: Row | undefined): number => {
  if (!row) return 0;
  const isLarge = row.isOpen && (row.type === 'resource' || row.type === 'output');
  return heights[row.type] + (isLarge ? openHeight : 0);
};

const sizeKey = (row: Row | undefined): string => (row ? `${row.isOpen ? '+' : '-'}${row.id}` : '');

const isMostlyOpen = (rows: readonly Row[]): boolean =>
  rows.filter((row) => row.isOpen && row.type === 'resource').length * 4 > rows.length;

const withActive = (range: Range, active: number): number[] => {
  const drawn = defaultRangeExtractor(range);
  return drawn.includes(active) ? drawn : [...drawn, active].sort((left, right) => left - right);
};
