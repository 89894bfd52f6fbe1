import { type Automaton, buildAutomaton } from './automaton.ts';
import { type Pattern, patternsOf } from './encodings.ts';

/** What stands in place of a secret, in every encoding of it. */
export const redactedMark = '[redacted]';
const markBytes = Buffer.from(redactedMark);

export type Redactor = {
  /** The text with every occurrence of a secret replaced; the same string when there is none. */
  text(text: string): string;
  /**
   * The same for a resource address. Secrets short enough to be ordinary words stay, because an address is what the
   * ledger and the plan find each other by; a language key such as `["eu"]` is no disclosure.
   */
  address(text: string): string;
  /** A byte stream without secrets, whatever the chunks are cut at. */
  stream(): RedactingStream;
};

export type RedactingStream = {
  /** The bytes that are certain by now; what could still be the beginning of a secret waits. */
  push(chunk: Buffer): Buffer;
  /** The rest. */
  end(): Buffer;
};

/** Builds the search for one Run's secrets. Empty and well-known texts among them are ignored. */
export function createRedactor(secrets: readonly string[]): Redactor {
  const patterns = patternsOf(secrets);
  const all = patterns.length === 0 ? undefined : buildAutomaton(patterns);
  const long = patterns.filter((pattern) => !pattern.wholeToken);
  const longOnly = long.length === patterns.length ? all : long.length === 0 ? undefined : buildAutomaton(long);
  return {
    text: (text) => redactText(all, text),
    address: (text) => redactText(longOnly, text),
    stream: () => (all === undefined ? { push: (chunk) => chunk, end: () => Buffer.alloc(0) } : redactStream(all)),
  };
}

function redactText(automaton: Automaton | undefined, text: string): string {
  if (automaton === undefined) return text;
  const bytes = Buffer.from(text, 'utf8');
  const { covered } = scan(automaton, { bytes, before: undefined, isLast: true });
  return covered.length === 0
    ? text
    : withMarks({ bytes, covered, end: bytes.length, isContinued: false }).toString('utf8');
}

function redactStream(automaton: Automaton): RedactingStream {
  let waiting = Buffer.alloc(0);
  let before: number | undefined;
  // How many of the waiting bytes belong to a secret whose mark has been given out already.
  let known = 0;
  const take = (chunk: Buffer, isLast: boolean): Buffer => {
    const bytes = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    const { covered, holdFrom } = scan(automaton, { bytes, before, isLast });
    const spans = known > 0 ? merge([{ start: 0, end: known }, ...covered]) : covered;
    const out = withMarks({ bytes, covered: spans, end: holdFrom, isContinued: known > 0 });
    // A span stays open when its end is not out yet: its mark is, or was given out before.
    const isOpen = ({ start, end }: Span): boolean =>
      end > holdFrom && (start < holdFrom || (start === 0 && known > 0));
    const open = spans.find(isOpen);
    known = open === undefined ? 0 : open.end - holdFrom;
    if (holdFrom > 0) before = bytes[holdFrom - 1];
    waiting = Buffer.from(bytes.subarray(holdFrom));
    return out;
  };
  return { push: (chunk) => take(chunk, false), end: () => take(Buffer.alloc(0), true) };
}

type Span = { start: number; end: number };
type Window = { bytes: Buffer; before: number | undefined; isLast: boolean };

/** Finds the spans that secrets cover, and from where on more bytes are needed to be sure. */
function scan(automaton: Automaton, window: Window): { covered: Span[]; holdFrom: number } {
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
function merge(spans: Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last !== undefined && span.start < last.end) last.end = Math.max(last.end, span.end);
    else merged.push({ ...span });
  }
  return merged;
}

type Cut = { bytes: Buffer; covered: readonly Span[]; end: number; isContinued: boolean };

/** The bytes up to `end` with a mark for each span that begins before it. */
function withMarks({ bytes, covered, end, isContinued }: Cut): Buffer {
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
