import { useMemo, useRef, useState } from 'react';
import type { RunFeed } from '../../../api/run-feed.ts';
import { patternOf, plainText } from './log-model.ts';

export type LogSearch = {
  query: string;
  pattern: RegExp | undefined;
  /** Lines with a match, in order. */
  lines: readonly number[];
  /** Index in `lines` of the current match. */
  at: number | undefined;
  setQuery: (query: string) => void;
  /** Moves to the next or previous match, wrapping around, and returns its line. */
  step: (by: 1 | -1) => number | undefined;
};

/** Searches the whole log, including lines off screen and new lines as they arrive. */
export function useLogSearch(log: RunFeed['log']): LogSearch {
  const [query, setQuery] = useState('');
  const [at, setAt] = useState<number>();
  const pattern = useMemo(() => patternOf(query), [query]);
  const matches = useRef<{ pattern: RegExp | undefined; upTo: number; lines: number[] }>({
    pattern: undefined,
    upTo: 0,
    lines: [],
  });

  const lines = useMemo(() => {
    const { current } = matches;
    if (current.pattern !== pattern) matches.current = { pattern, upTo: 0, lines: [] };
    const book = matches.current;
    if (!pattern) return [];
    const fresh: number[] = [];
    for (; book.upTo < log.count; book.upTo += 1) {
      const entry = log.entries[book.upTo];
      pattern.lastIndex = 0;
      if (entry && pattern.test(plainText(entry))) fresh.push(book.upTo);
    }
    if (fresh.length > 0) book.lines = [...book.lines, ...fresh];
    return book.lines;
  }, [pattern, log]);

  return {
    query,
    pattern,
    lines,
    at: at !== undefined && at < lines.length ? at : undefined,
    setQuery: (next) => {
      setQuery(next);
      setAt(undefined);
    },
    step: (by) => {
      if (lines.length === 0) return undefined;
      const first = by === 1 ? 0 : lines.length - 1;
      const next = at === undefined ? first : (at + by + lines.length) % lines.length;
      setAt(next);
      return lines[next];
    },
  };
}
