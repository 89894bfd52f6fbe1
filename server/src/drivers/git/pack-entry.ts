import { damaged } from './git-error.ts';
import type { ObjectFormat, ObjectType } from './git-object.ts';
import { idBytes } from './git-object.ts';

/** Head of a pack entry (gitformat-pack). `dataAt` is the start of its zlib stream, `size` its inflated size. */
export type PackEntryHead =
  | { kind: 'object'; type: ObjectType; size: number; dataAt: number }
  | { kind: 'offset-delta'; back: number; size: number; dataAt: number }
  | { kind: 'id-delta'; base: string; size: number; dataAt: number };

/** Upper bound for any head: ten bytes of size and the id of a base. */
export const entryHeadBytes = 64;

const types: Record<number, ObjectType> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' };
const offsetDelta = 6;
const idDelta = 7;

/** Reads the head of the entry at an offset. Throws `GitError` when it is invalid. */
export function readEntryHead(bytes: Buffer, at: number, format: ObjectFormat): PackEntryHead {
  const { kind, size, next } = readTypeAndSize(bytes, at);
  const type = types[kind];
  if (type) return { kind: 'object', type, size, dataAt: next };
  if (kind === offsetDelta) return { kind: 'offset-delta', size, ...readBackOffset(bytes, next) };
  if (kind !== idDelta) throw damaged('a pack entry has an unknown type');
  const dataAt = next + idBytes(format);
  if (dataAt > bytes.length) throw damaged('a pack ends early');
  return { kind: 'id-delta', base: bytes.toString('hex', next, dataAt), size, dataAt };
}

/** Reads three bits of type and a size in a group of four bits, then seven, least significant first. */
function readTypeAndSize(bytes: Buffer, at: number): { kind: number; size: number; next: number } {
  let byte = byteAt(bytes, at);
  const kind = (byte >> 4) & 7;
  let size = byte & 0x0f;
  let factor = 16;
  let next = at + 1;
  while (byte & 0x80) {
    byte = byteAt(bytes, next);
    size += (byte & 0x7f) * factor;
    factor *= 128;
    next += 1;
    if (size > Number.MAX_SAFE_INTEGER) throw damaged('a pack entry claims an impossible size');
  }
  return { kind, size, next };
}

/**
 * Reads the distance from this entry back to its base: groups of seven bits, most significant first, each further group
 * counting one more.
 */
function readBackOffset(bytes: Buffer, at: number): { back: number; dataAt: number } {
  let byte = byteAt(bytes, at);
  let back = byte & 0x7f;
  let next = at + 1;
  while (byte & 0x80) {
    byte = byteAt(bytes, next);
    back = (back + 1) * 128 + (byte & 0x7f);
    next += 1;
    if (back > Number.MAX_SAFE_INTEGER) throw damaged('a delta names an impossible base');
  }
  if (back === 0) throw damaged('a delta names itself as its base');
  return { back, dataAt: next };
}

function byteAt(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw damaged('a pack ends early');
  return byte;
}
