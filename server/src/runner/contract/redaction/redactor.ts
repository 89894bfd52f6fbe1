import { type Automaton, buildAutomaton } from './automaton.ts';
import { type Pattern, patternsOf } from './encodings.ts';
import { redactedMark } from './mark.ts';
import { createPieces, type PieceRedactor, squeezedPatterns } from './pieces.ts';
import { merge, type Span, scan, withMarks } from './scan.ts';

export type { PieceRedactor } from './pieces.ts';
export { redactedMark };

export type Redactor = {
  /** Builds the search now, so that its first use does not wait. */
  prepare(): void;
  /** Returns the text with every secret replaced; the same string when there is none. */
  text(text: string): string;
  /**
   * Redacts a resource address. Secrets short enough to be ordinary words stay, because ledger and plan match resources
   * by address; a language key such as `["eu"]` discloses nothing.
   */
  address(text: string): string;
  /** Creates a redactor for a byte stream with any chunk boundaries. */
  stream(): RedactingStream;
  /** Creates a redactor for text in pieces, each of which is shown separately. */
  pieces(): PieceRedactor;
};

type RedactingStream = {
  /** Returns the bytes that are decided; a possible beginning of a secret waits. */
  push(chunk: Buffer): Buffer;
  /** Returns the remaining bytes. */
  end(): Buffer;
};

/**
 * Creates the search for one Run's secrets. Empty and well-known texts among them are ignored. The search is built at its
 * first use or by `prepare`, because that takes milliseconds in which a command can start.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  let built: Automata | undefined;
  const automata = (): Automata => {
    built ??= buildAutomata(secrets);
    return built;
  };
  let loose: Automaton | undefined;
  const squeezed = (): Automaton | undefined => {
    // Built on demand, because few Runs have a module that prints.
    loose ??= automata().all && buildAutomaton(squeezedPatterns(automata().long));
    return loose;
  };
  return {
    prepare: () => void automata(),
    text: (text) => redactText(automata().all, text),
    address: (text) => redactText(automata().longOnly, text),
    stream: () => redactStream(() => automata().all),
    pieces: () => createPieces(automata().all, squeezed()),
  };
}

/** Searches for all patterns of the secrets, and for those that are replaced inside of words too. */
type Automata = { all: Automaton | undefined; longOnly: Automaton | undefined; long: readonly Pattern[] };

function buildAutomata(secrets: readonly string[]): Automata {
  const patterns = patternsOf(secrets);
  const all = patterns.length === 0 ? undefined : buildAutomaton(patterns);
  const long = patterns.filter((pattern) => !pattern.wholeToken);
  const longOnly = long.length === patterns.length ? all : long.length === 0 ? undefined : buildAutomaton(long);
  return { all, longOnly, long };
}

function redactText(automaton: Automaton | undefined, text: string): string {
  if (automaton === undefined) return text;
  const bytes = Buffer.from(text, 'utf8');
  const { covered } = scan(automaton, { bytes, before: undefined, isLast: true });
  return covered.length === 0
    ? text
    : withMarks({ bytes, covered, end: bytes.length, isContinued: false }).toString('utf8');
}

function redactStream(automaton: () => Automaton | undefined): RedactingStream {
  let waiting = Buffer.alloc(0);
  let before: number | undefined;
  // Number of waiting bytes that belong to a secret whose mark was already written.
  let known = 0;
  const take = (chunk: Buffer, isLast: boolean): Buffer => {
    const search = automaton();
    if (search === undefined) return chunk;
    const bytes = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    const { covered, holdFrom } = scan(search, { bytes, before, isLast });
    const spans = known > 0 ? merge([{ start: 0, end: known }, ...covered]) : covered;
    const out = withMarks({ bytes, covered: spans, end: holdFrom, isContinued: known > 0 });
    // A span stays open until its end is written: its mark follows, or was written before.
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
