import type { Automaton } from './automaton.ts';
import type { Pattern } from './encodings.ts';

/** Of bytes; `end` is exclusive. */
export type Span = { start: number; end: number };
export type Window = { bytes: Buffer; before: number | undefined; isLast: boolean };

/** Finds the spans that secrets cover, and from where on more bytes are needed to be sure. */
export function scan(automaton: Automaton, window: Window): { covered: Span[]; holdFrom: number } {
  const { classOf, classes, next, depth, hits, prefixBytes } = automaton;
  const { bytes } = window;
  const found: Span[] = [];
  let unsureFrom = bytes.length;
  let state = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    state = next[state * classes + (classOf[bytes[index] as number] as number)] as number;
    const complete = hits[state];
    if (complete === undefined) continue;
    for (const pattern of complete) {
      const start = index + 1 - Math.min(pattern.bytes.length, prefixBytes);
      const verdict = compare(pattern, start, window);
      if (verdict === 'match') found.push({ start, end: start + pattern.bytes.length });
      else if (verdict === 'unsure') unsureFrom = Math.min(unsureFrom, start);
    }
  }
  const holdFrom = window.isLast ? bytes.length : Math.min(unsureFrom, bytes.length - (depth[state] as number));
  return { covered: merge(found), holdFrom };
}

/** Compares what the automaton has not seen of a long pattern, and the neighbours of a short one. */
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

/** Letters, digits, the underscore, and every byte of a character outside ASCII. */
function isWord(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  return (
    (byte >= 48 && byte <= 57) || (byte >= 65 && byte <= 90) || byte === 95 || (byte >= 97 && byte <= 122) || byte > 127
  );
}

/** Sorted spans without overlaps; a secret found in two ways at one place leaves one mark. */
export function merge(spans: Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last !== undefined && span.start < last.end) last.end = Math.max(last.end, span.end);
    else merged.push({ ...span });
  }
  return merged;
}
