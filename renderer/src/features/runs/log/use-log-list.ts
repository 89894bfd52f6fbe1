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
/** Upper bound for the number of lines of a log. */
const linesAtMost = 100_000_000;

export type LogList = LogRows & {
  virtualizer: Virtualizer<HTMLDivElement, Element>;
  /** The line named in the URL, counted from 0. */
  selected: number | undefined;
  select: (line: number) => void;
  /** Scrolls to a line, to the middle of the box or, with `nearest`, as little as possible. */
  show: (line: number, align?: 'middle' | 'nearest') => void;
  /** True when the content is much longer than the box. */
  isLong: boolean;
  isFollowing: boolean;
  toEnd: () => void;
};

type Options = { box: RefObject<HTMLDivElement | null>; isWrapped: boolean; startsAtEnd: boolean };

/** Virtual list of a log. The URL names the selected line. */
export function useLogList(log: RunFeed['log'], { box, isWrapped, startsAtEnd }: Options): LogList {
  const book = useLogRows(log);
  const { rows } = book;
  const selected = lineOfHash(useLocation({ select: ({ hash }) => hash }));
  const visit = useLocation({ select: ({ state }) => state.__TSR_key });
  const navigate = useNavigate();
  const shown = useRef<{ visit?: string | undefined; line?: number }>({});

  const columns = useColumns(box);
  // Heights are cached by key for one width. A new function triggers a new layout of the whole list.
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
