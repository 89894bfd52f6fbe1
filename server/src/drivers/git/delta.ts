import { damaged } from './git-error.ts';

/*
 * Git's delta format (gitformat-pack): the sizes of base and result, then instructions that copy a piece of the base or
 * insert the bytes that follow.
 */

const broken = () => damaged('a delta does not fit its base');

/**
 * Reads a size in seven-bit groups, least significant first. Sizes over 2^53 lose precision and exceed the limits of
 * the callers.
 */
function readSize(bytes: Buffer, at: number): { value: number; next: number } {
  let value = 0;
  let factor = 1;
  for (let next = at; next < bytes.length && next - at < 8; next += 1) {
    const byte = bytes[next] ?? 0;
    value += (byte & 0x7f) * factor;
    factor *= 128;
    if (byte < 0x80) return { value, next: next + 1 };
  }
  throw broken();
}

/** Returns the sizes that a delta claims for its base and its result. */
export function deltaSizes(delta: Buffer): { base: number; result: number; next: number } {
  const base = readSize(delta, 0);
  const result = readSize(delta, base.next);
  return { base: base.value, result: result.value, next: result.next };
}

/** Builds the object a delta describes. The caller has checked the result size against its limits. */
export function applyDelta(base: Buffer, delta: Buffer): Buffer {
  const sizes = deltaSizes(delta);
  if (sizes.base !== base.length) throw broken();
  const result = Buffer.allocUnsafe(sizes.result);
  let at = sizes.next;
  let filled = 0;
  while (at < delta.length) {
    const instruction = delta[at] ?? 0;
    at += 1;
    const piece = instruction & 0x80 ? copyPiece(delta, at, instruction) : insertPiece(delta, at, instruction);
    const source = instruction & 0x80 ? base : delta;
    if (piece.start + piece.length > source.length || filled + piece.length > result.length) throw broken();
    source.copy(result, filled, piece.start, piece.start + piece.length);
    filled += piece.length;
    at = piece.next;
  }
  if (filled !== result.length) throw broken();
  return result;
}

type Piece = { start: number; length: number; next: number };

function insertPiece(_delta: Buffer, at: number, length: number): Piece {
  // Zero is reserved by the format.
  if (length === 0) throw broken();
  return { start: at, length, next: at + length };
}

/** Reads four optional bytes of offset, then three of length; the low bits of the instruction mark the present ones. */
function copyPiece(delta: Buffer, at: number, instruction: number): Piece {
  let next = at;
  let start = 0;
  let length = 0;
  for (let bit = 0; bit < 7; bit += 1) {
    if (!(instruction & (1 << bit))) continue;
    if (next >= delta.length) throw broken();
    const byte = delta[next] ?? 0;
    next += 1;
    if (bit < 4) start += byte * 2 ** (8 * bit);
    else length += byte * 2 ** (8 * (bit - 4));
  }
  return { start, length: length || 0x10000, next };
}
