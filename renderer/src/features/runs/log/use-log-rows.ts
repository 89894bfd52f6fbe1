import { useMemo, useState } from 'react';
import type { RunFeed } from '../../../api/run-feed.ts';
import { groupsOf, type LogGroup, rowsOf } from './log-model.ts';

export type LogRows = {
  groups: readonly LogGroup[];
  rows: readonly number[];
  isFolded: (group: LogGroup) => boolean;
  toggle: (group: LogGroup) => void;
  /** Opens the phase of a line. */
  open: (line: number) => void;
  /** Row of a line whose phase is open. */
  rowOf: (line: number) => number;
};

/** The rows of the log: heads of phases and the lines of those that are not folded. */
export function useLogRows(log: RunFeed['log']): LogRows {
  const [folded, setFolded] = useState<ReadonlySet<number>>(new Set());
  const groups = useMemo(() => groupsOf(log.entries, log.count), [log]);
  const rows = useMemo(() => rowsOf(groups, folded), [groups, folded]);
  const change = (from: number, isFolded: boolean) => {
    const next = new Set(folded);
    if (isFolded) next.add(from);
    else next.delete(from);
    setFolded(next);
  };
  return {
    groups,
    rows,
    isFolded: ({ from }) => folded.has(from),
    toggle: ({ from }) => change(from, !folded.has(from)),
    open: (line) => {
      const group = groups.find(({ from, to }) => line >= from && line < to);
      if (group && folded.has(group.from)) change(group.from, false);
    },
    rowOf: (line) => {
      let row = 0;
      for (const { from, to } of groups) {
        row += 1;
        if (line < to) return row + (line - from);
        if (!folded.has(from)) row += to - from;
      }
      return row;
    },
  };
}
