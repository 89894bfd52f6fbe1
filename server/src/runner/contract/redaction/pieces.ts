import type { Automaton } from './automaton.ts';
import { type Pattern, wholeTokenBelowBytes } from './encodings.ts';
import { merge, type Span, scan, withMarks } from './scan.ts';

/**
 * A program that pauses within a line, or wraps what it prints, has its text told in several events, and the tool cuts
 * white space off their ends. A secret that begins in one and ends in another is found in none of them alone.
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

/** ASCII white space; none of these bytes is a part of another character in UTF-8. */
const isSpace = (byte: number): boolean => byte === 32 || (byte >= 9 && byte <= 13);

/** Secrets as they stand in a text without its white space. */
export function squeezedPatterns(patterns: readonly Pattern[]): Pattern[] {
  const squeezed = new Map<string, Pattern>();
  for (const { bytes } of patterns) {
    const rest = Buffer.from([...bytes].filter((byte) => !isSpace(byte)));
    if (rest.length >= wholeTokenBelowBytes) squeezed.set(rest.toString('latin1'), { bytes: rest, wholeToken: false });
  }
  return [...squeezed.values()];
}

type Piece = {
  bytes: Buffer;
  /** The same without white space, and where each of its bytes stands. */
  squeezed: Buffer;
  offsets: Int32Array;
  /** What secrets cover of it, those that began in pieces before it too. */
  spans: Span[];
  isOut: boolean;
};

/** `all` finds every secret in a piece by itself, `loose` those of some length in what the pieces are together. */
export function createPieces(all: Automaton | undefined, loose: Automaton | undefined): PieceRedactor {
  if (all === undefined || loose === undefined) return { push: (piece) => [piece], end: () => [] };
  let pieces: Piece[] = [];
  const take = (isLast: boolean): string[] => {
    const bytes = Buffer.concat(pieces.map(({ squeezed }) => squeezed));
    const { covered, holdFrom } = scan(loose, { bytes, before: undefined, isLast });
    const isShort = bytes.length - holdFrom < telltaleBytes;
    const retained: Piece[] = [];
    const out: string[] = [];
    let start = 0;
    for (const piece of pieces) {
      const end = start + piece.squeezed.length;
      const isCertain = end <= holdFrom;
      piece.spans = merge([...piece.spans, ...spansIn(piece, { start, covered })]);
      // Order is kept: behind one that waits nothing is given out.
      if (!piece.isOut && (isCertain || isShort)) {
        out.push(redactPiece(all, piece));
        piece.isOut = true;
      }
      if (!isCertain) retained.push(piece);
      start = end;
    }
    pieces = retained;
    return out;
  };
  return {
    push(text) {
      pieces.push(pieceOf(text));
      const size = pieces.reduce((sum, piece) => sum + piece.bytes.length, 0);
      return take(size > waitingMaxBytes || pieces.length > waitingMaxPieces);
    },
    end: () => take(true),
  };
}

function pieceOf(text: string): Piece {
  const bytes = Buffer.from(text, 'utf8');
  const offsets = new Int32Array(bytes.length);
  const squeezed = Buffer.alloc(bytes.length);
  let length = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] as number;
    if (isSpace(byte)) continue;
    offsets[length] = index;
    squeezed[length] = byte;
    length += 1;
  }
  return {
    bytes,
    squeezed: squeezed.subarray(0, length),
    offsets: offsets.subarray(0, length),
    spans: [],
    isOut: false,
  };
}

/** What of the spans lies in a piece, by its own bytes. */
function spansIn(
  { squeezed, offsets }: Piece,
  { start, covered }: { start: number; covered: readonly Span[] },
): Span[] {
  const end = start + squeezed.length;
  return covered
    .filter((span) => span.start < end && span.end > start)
    .map((span) => ({
      start: offsets[Math.max(0, span.start - start)] as number,
      end: (offsets[Math.min(end, span.end) - start - 1] as number) + 1,
    }));
}

function redactPiece(all: Automaton, { bytes, spans }: Piece): string {
  const own = scan(all, { bytes, before: undefined, isLast: true }).covered;
  const covered = merge([...own, ...spans]);
  return withMarks({ bytes, covered, end: bytes.length, isContinued: false }).toString('utf8');
}
