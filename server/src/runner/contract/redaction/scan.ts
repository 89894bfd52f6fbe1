import { type Automaton, prefixBytes } from './automaton.ts';
import type { Pattern } from './encodings.ts';
import { redactedMark } from './mark.ts';

const markBytes = Buffer.from(redactedMark);

/** Byte offsets; `end` is exclusive. */
export type Span = { start: number; end: number };
type Window = { bytes: Buffer; before: number | undefined; isLast: boolean };

/** Finds the spans that secrets cover, and the offset from which more bytes are needed. */
export function scan(automaton: Automaton, window: Window): { covered: Span[]; holdFrom: number } {
  const { classOf, classes, next, depth, hits } = automaton;
  const { bytes } = window;
  const matches: Span[] = [];
  let unsureFrom = bytes.length;
  let state = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    state = next[state * classes + (classOf[bytes[index] as number] as number)] as number;
    const complete = hits[state];
    if (complete === undefined) continue;
    for (const pattern of complete) {
      const start = index + 1 - Math.min(pattern.bytes.length, prefixBytes);
      const verdict = compare(pattern, start, window);
      if (verdict === 'match') matches.push({ start, end: start + pattern.bytes.length });
      else if (verdict === 'unsure') unsureFrom = Math.min(unsureFrom, start);
    }
  }
  const holdFrom = window.isLast ? bytes.length : Math.min(unsureFrom, bytes.length - (depth[state] as number));
  return { covered: merge(matches), holdFrom };
}

/** Compares the bytes of a long pattern beyond its prefix, or the bytes around a short pattern. */
function compare(pattern: Pattern, start: number, { bytes, before, isLast }: Window): 'match' | 'no' | 'unsure' {
  const end = start + pattern.bytes.length;
  if (end > bytes.length) {
    const isPossible = bytes.compare(pattern.bytes, 0, bytes.length - start, start) === 0;
    return isPossible && !isLast ? 'unsure' : 'no';
  }
  if (bytes.compare(pattern.bytes, 0, pattern.bytes.length, start, end) !== 0) return 'no';
  if (!pattern.wholeToken) return 'match';
  const previous = start > 0 ? bytes[start - 1] : before;
  if (isWord(pattern.bytes[0]) && isWord(previous)) return 'no';
  if (end === bytes.length) return isLast ? 'match' : 'unsure';
  return isWord(pattern.bytes.at(-1)) && isWord(bytes[end]) ? 'no' : 'match';
}

/** Reports letters, digits, the underscore, and all bytes of characters outside ASCII. */
function isWord(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  return (
    (byte >= 48 && byte <= 57) || (byte >= 65 && byte <= 90) || byte === 95 || (byte >= 97 && byte <= 122) || byte > 127
  );
}

/** Sorts and merges spans; overlapping matches leave one mark. */
export function merge(spans: Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last !== undefined && span.start < last.end) last.end = Math.max(last.end, span.end);
    else merged.push({ ...span });
  }
  return merged;
}

type Cut = { bytes: Buffer; covered: readonly Span[]; end: number; isContinued: boolean };

/** Returns the bytes up to `end`, with a mark for each span that begins before it. */
export function withMarks({ bytes, covered, end, isContinued }: Cut): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (const span of covered) {
    if (span.start >= end) break;
    parts.push(bytes.subarray(from, span.start));
    if (!(isContinued && span.start === 0)) parts.push(markBytes);
    from = Math.min(span.end, end);
  }
  parts.push(bytes.subarray(from, end));
  return Buffer.concat(parts);
}
