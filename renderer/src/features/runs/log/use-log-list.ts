import { useLocation, useNavigate } from '@tanstack/react-router';
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import type { RunFeed } from '../../../api/run-feed.ts';
import { lineOfHash } from './log-model.ts';
import { rowsOfText, useColumns } from './use-columns.ts';
import { useFollow } from './use-follow.ts';
import { type LogRows, useLogRows } from './use-log-rows.ts';

const linePx = 20;
const headPx = 32;
/** A log has fewer lines than this. */
const linesAtMost = 100_000_000;

export type LogList = LogRows & {
  virtualizer: Virtualizer<HTMLDivElement, Element>;
  /** The line that the address names, counted from 0. */
  selected: number | undefined;
  select: (line: number) => void;
  /** Brings a line into sight, into the middle of the box unless `nearest` will do. */
  show: (line: number, align?: 'middle' | 'nearest') => void;
  /** Whether there is much more than the box shows. */
  isLong: boolean;
  isFollowing: boolean;
  toEnd: () => void;
};

type Options = { box: RefObject<HTMLDivElement | null>; isWrapped: boolean; startsAtEnd: boolean };

/** The list of a log: only what is on the screen is in the page; the address names the line that was chosen. */
export function useLogList(log: RunFeed['log'], { box, isWrapped, startsAtEnd }: Options): LogList {
  const book = useLogRows(log);
  const { rows } = book;
  const selected = lineOfHash(useLocation({ select: ({ hash }) => hash }));
  const visit = useLocation({ select: ({ state }) => state.__TSR_key });
  const navigate = useNavigate();
  const shown = useRef<{ visit?: string | undefined; line?: number }>({});

  const columns = useColumns(box);
  // Heights are kept by key, and hold for one width. Another function lays the whole list out anew.
  const keyOf = useCallback(
    (row: number) => (rows[row] ?? row) + (isWrapped ? columns * linesAtMost : 0),
    [rows, columns, isWrapped],
  );
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: (row) => {
      const line = rows[row] ?? 0;
      return line < 0 ? headPx : linePx * (isWrapped ? rowsOfText(log.entries[line]?.text ?? '', columns) : 1);
    },
    getItemKey: keyOf,
    overscan: 24,
  });
  const size = virtualizer.getTotalSize();
  const isLong = size > (virtualizer.scrollRect?.height ?? size) * 1.3;
  const { isFollowing, toEnd, letGo } = useFollow(box, { size, isHeld: startsAtEnd && selected === undefined });

  const [wanted, setWanted] = useState<{ line: number; align: 'middle' | 'nearest' }>();
  const show: LogList['show'] = (line, align = 'middle') => {
    letGo();
    book.open(line);
    setWanted({ line, align });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each wish, when the phase of the line is open
  useEffect(() => {
    if (!wanted) return;
    box.current?.scrollIntoView({ block: 'nearest' });
    virtualizer.scrollToIndex(book.rowOf(wanted.line), { align: wanted.align === 'middle' ? 'center' : 'auto' });
  }, [wanted]);
  const select = (line: number) => {
    shown.current.line = line;
    void navigate({
      to: '.',
      search: true,
      hash: `L${line + 1}`,
      replace: true,
      resetScroll: false,
      hashScrollIntoView: false,
    });
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: a line is brought into sight once for each visit, when it is there
  useEffect(() => {
    if (selected === undefined || selected >= log.count || shown.current.visit === visit) return;
    const isOwnChoice = shown.current.line === selected;
    shown.current = { visit };
    if (isOwnChoice) return;
    show(selected);
  }, [visit, selected, log.count]);

  return { ...book, virtualizer, selected, select, show, isLong, isFollowing, toEnd };
}
