import { type Automaton, buildAutomaton } from './automaton.ts';
import { patternsOf } from './encodings.ts';
import { redactedMark } from './mark.ts';
import { createPieces, type PieceRedactor, squeezedPatterns } from './pieces.ts';
import { merge, type Span, scan, withMarks } from './scan.ts';

export type { PieceRedactor } from './pieces.ts';
export { redactedMark };

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
  /** The same for a text that comes in pieces, each of which is shown by itself. */
  pieces(): PieceRedactor;
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
  let loose: Automaton | undefined;
  const squeezed = (): Automaton | undefined => {
    // Few Runs have a module that prints.
    loose ??= all && buildAutomaton(squeezedPatterns(long));
    return loose;
  };
  return {
    text: (text) => redactText(all, text),
    address: (text) => redactText(longOnly, text),
    stream: () => (all === undefined ? { push: (chunk) => chunk, end: () => Buffer.alloc(0) } : redactStream(all)),
    pieces: () => createPieces(all, squeezed()),
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
