import type { Automaton } from './automaton.ts';
import { redactedMark } from './mark.ts';
import { type Span, scan } from './scan.ts';

/**
 * A program that pauses within a line, or wraps what it prints, has its text told in several events. A secret that
 * begins in one and ends in another is found in none of them alone.
 */
export type PieceRedactor = {
  /** The pieces that are certain by now, in their order; one that could hold the beginning of a secret waits. */
  push(piece: string): string[];
  /** The rest. */
  end(): string[];
};

/** A beginning shorter than this gives nothing away, so its piece is shown at once and only remembered. */
const telltaleBytes = 4;
/** What waits is searched again with each new piece; beyond these bounds it is given out as far as it is known. */
const waitingMaxBytes = 65_536;
const waitingMaxPieces = 512;

type Piece = { bytes: Buffer; text: string; isOut: boolean };

type Options = {
  /** Finds secrets that are no ordinary words; undefined when there are none. */
  long: Automaton | undefined;
  /** Redacts a text by itself. */
  whole: (text: string) => string;
};

export function createPieces({ long, whole }: Options): PieceRedactor {
  if (long === undefined) return { push: (piece) => [whole(piece)], end: () => [] };
  let pieces: Piece[] = [];
  const take = (isLast: boolean): string[] => {
    const bytes = Buffer.concat(pieces.map((piece) => piece.bytes));
    const { covered, holdFrom } = scan(long, { bytes, before: undefined, isLast });
    const isShort = bytes.length - holdFrom < telltaleBytes;
    const kept: Piece[] = [];
    const out: string[] = [];
    let start = 0;
    for (const piece of pieces) {
      const end = start + piece.bytes.length;
      const isCertain = end <= holdFrom;
      if (!piece.isOut && (isCertain || isShort)) {
        out.push(redactPiece(piece, { start, covered, whole }));
        piece.isOut = true;
      }
      // What a secret covers wholly or has begun in stays as context for the next piece.
      if (!isCertain) kept.push(piece);
      start = end;
    }
    pieces = kept;
    return out;
  };
  return {
    push(text) {
      pieces.push({ text, bytes: Buffer.from(text, 'utf8'), isOut: false });
      const size = pieces.reduce((sum, piece) => sum + piece.bytes.length, 0);
      return take(size > waitingMaxBytes || pieces.length > waitingMaxPieces);
    },
    end: () => take(true),
  };
}

type Context = { start: number; covered: readonly Span[]; whole: (text: string) => string };

/** What secrets that go beyond the piece cover of it becomes a mark; the rest is redacted as a text of its own. */
function redactPiece({ bytes, text }: Piece, { start, covered, whole }: Context): string {
  const end = start + bytes.length;
  const crossing = covered.filter(
    (span) => span.start < end && span.end > start && (span.start < start || span.end > end),
  );
  if (crossing.length === 0) return whole(text);
  const parts: string[] = [];
  let from = start;
  for (const span of crossing) {
    if (span.start > from) parts.push(whole(bytes.subarray(from - start, span.start - start).toString('utf8')));
    parts.push(redactedMark);
    from = Math.min(span.end, end);
  }
  if (from < end) parts.push(whole(bytes.subarray(from - start).toString('utf8')));
  return parts.join('');
}
