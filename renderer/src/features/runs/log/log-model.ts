import type { LogEntry, Phase } from '#shared/runs/feed';
import { visibleLine } from '../../../ui/visible-text.ts';

/**
 * Consecutive lines of one phase, from `from` to `to` (exclusive). Lines of Ground Control belong to the surrounding
 * phase, those before the first phase to that one.
 */
export type LogGroup = { phase: Phase; from: number; to: number };

export function groupsOf(entries: readonly LogEntry[], count: number): LogGroup[] {
  const groups: LogGroup[] = [];
  let open: LogGroup | undefined;
  for (let at = 0; at < count; at += 1) {
    const phase = entries[at]?.phase ?? 'system';
    if (open && (phase === 'system' || phase === open.phase || open.phase === 'system')) {
      if (open.phase === 'system') open.phase = phase;
      open.to = at + 1;
    } else {
      open = { phase, from: at, to: at + 1 };
      groups.push(open);
    }
  }
  return groups;
}

/** Returns the rows of the list: the index of a line, or `-1 - n` for the head of group n. */
export function rowsOf(groups: readonly LogGroup[], folded: ReadonlySet<number>): number[] {
  const rows: number[] = [];
  groups.forEach(({ from, to }, group) => {
    rows.push(-1 - group);
    if (folded.has(from)) return;
    for (let line = from; line < to; line += 1) rows.push(line);
  });
  return rows;
}

const plainTexts = new WeakMap<LogEntry, string>();

/** Returns the visible text of a line, without colors. */
export function plainText(entry: LogEntry): string {
  const known = plainTexts.get(entry);
  if (known !== undefined) return known;
  const text = visibleLine(entry.text);
  plainTexts.set(entry, text);
  return text;
}

/** Returns the pattern of a plain, case-insensitive search; undefined for an empty one. */
export const patternOf = (query: string): RegExp | undefined =>
  query === '' ? undefined : new RegExp(query.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'gi');

/** Returns the matches of a pattern in a text, as pairs of start and end. */
export const rangesIn = (text: string, pattern: RegExp): [number, number][] =>
  [...text.matchAll(pattern)].map(({ index, 0: match }) => [index, index + match.length]);

const two = (value: number) => String(value).padStart(2, '0');

/** Formats a time as `14:03:07.042` in the user's time zone. */
export function clockText(ms: number): string {
  const at = new Date(ms);
  const seconds = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  return `${seconds}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}

/** Returns the line that `#L12` names, counted from 0. */
export function lineOfHash(hash: string): number | undefined {
  const match = /^#?L([1-9][0-9]{0,8})$/.exec(hash);
  return match ? Number(match[1]) - 1 : undefined;
}
