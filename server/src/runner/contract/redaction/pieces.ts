import type { Automaton } from './automaton.ts';
import { type Pattern, wholeTokenBelowBytes } from './encodings.ts';
import { merge, type Span, scan, withMarks } from './scan.ts';

/**
 * Redacts the output of a program that arrives in several events, because it pauses within a line or wraps its lines.
 * The tool also trims white space at the ends of events. A secret that spans two events cannot be found in either of
 * them alone.
 */
export type PieceRedactor = {
  /** Returns the pieces that are decided, in order; a piece that could hold the beginning of a secret waits. */
  push(piece: string): string[];
  /** Returns the remaining pieces. */
  end(): string[];
};

/** A shorter beginning discloses nothing, so its piece is returned at once and only remembered. */
const telltaleBytes = 4;
/** Limits of waiting text, which is searched again with each new piece; beyond them it is returned as far as it is decided. */
const waitingMaxBytes = 65_536;
const waitingMaxPieces = 512;

/** Reports ASCII white space; none of these bytes is a part of another character in UTF-8. */
const isSpace = (byte: number): boolean => byte === 32 || (byte >= 9 && byte <= 13);

/** Returns the patterns of secrets without white space. */
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
  /** The text without white space, and the original position of each byte. */
  squeezed: Buffer;
  offsets: Int32Array;
  /** Spans of secrets in the text, including those that began in earlier pieces. */
  spans: Span[];
  isOut: boolean;
};

/** Creates a redactor for pieces. `all` finds every secret in a single piece, `loose` long ones in the joined pieces. */
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
      // Order is kept: pieces behind a waiting one wait too.
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

/** Returns the parts of the spans that lie in a piece, as offsets of its bytes. */
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
