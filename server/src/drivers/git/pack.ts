import { required } from '#server/kernel/required';
import { limits } from '#shared/limits';
import { bounds } from './bounds.ts';
import { applyDelta, deltaSizes } from './delta.ts';
import { damaged, refused, tooLarge } from './git-error.ts';
import { idBytes, type ObjectFormat, type ObjectReader, type ObjectType, objectId } from './git-object.ts';
import { deflatedBound, inflateExactly } from './inflate.ts';
import { readEntryHead } from './pack-entry.ts';

/*
 * Reader of a whole pack in memory (gitformat-pack). Every object is inflated once to find the start of the next one
 * and to verify its id. Contents are kept up to a budget and inflated again beyond it.
 */

/** One entry: `size` is that of its own zlib stream; `type`, `resultSize` and `depth` are known once its base is. */
type Entry = {
  offset: number;
  dataAt: number;
  size: number;
  base?: number;
  baseId?: string;
  id?: string;
  type?: ObjectType;
  resultSize: number;
  depth: number;
};

type PackState = {
  pack: Buffer;
  format: ObjectFormat;
  entries: Entry[];
  byId: Map<string, number>;
  /** Contents of resolved objects, by entry number. */
  held: Map<number, Buffer>;
  /** Deltas that wait for their base, as inflated by the first pass. */
  deltas: Map<number, Buffer>;
  heldBytes: number;
  spentBytes: number;
};

export const packHeaderBytes = 12;

/**
 * Reads a self-contained pack. `check` is called from time to time and may throw to stop. Throws `GitError`: damaged,
 * over the limits, or based on objects that are not in it.
 */
export function readPack(pack: Buffer, format: ObjectFormat, check: () => void): ObjectReader {
  const state: PackState = {
    pack,
    format,
    entries: [],
    byId: new Map(),
    held: new Map(),
    deltas: new Map(),
    heldBytes: 0,
    spentBytes: 0,
  };
  const waiting = scanEntries(state, check);
  resolveDeltas(state, waiting, check);
  return {
    stat: (id) => {
      const entry = state.entries[state.byId.get(id) ?? -1];
      return entry?.type && { type: entry.type, size: entry.resultSize };
    },
    read: (id) => {
      const index = state.byId.get(id);
      if (index === undefined) return undefined;
      check();
      return { type: entryAt(state, index).type as ObjectType, bytes: contentOf(state, index) };
    },
  };
}

/**
 * Returns the number of objects in the header of a pack. Throws `GitError` when it is not a pack or the number is too
 * large.
 */
export function packCount(pack: Buffer, format: ObjectFormat): number {
  const version = pack.length >= packHeaderBytes + idBytes(format) ? pack.readUInt32BE(4) : 0;
  if (pack.toString('latin1', 0, 4) !== 'PACK' || (version !== 2 && version !== 3)) throw damaged('this is not a pack');
  const count = pack.readUInt32BE(8);
  if (count > bounds.packObjects) throw tooLarge(`The repository holds more than ${bounds.packObjects} objects.`);
  return count;
}

/** First pass: finds every entry, verifies plain objects, and returns which entries wait for which base. */
function scanEntries(state: PackState, check: () => void): Waiting {
  const { pack, format, entries } = state;
  const waiting: Waiting = { onEntry: new Map(), onId: new Map() };
  const byOffset = new Map<number, number>();
  const count = packCount(pack, format);
  const end = pack.length - idBytes(format);
  let at = packHeaderBytes;
  for (let index = 0; index < count; index += 1) {
    if ((index & 0xff) === 0) check();
    const head = readEntryHead(pack, at, format);
    byOffset.set(at, index);
    const entry: Entry = { offset: at, dataAt: head.dataAt, size: head.size, resultSize: head.size, depth: 0 };
    entries.push(entry);
    const { bytes, consumed } = inflateEntry(state, entry);
    if (head.kind === 'object') settle(state, index, { type: head.type, bytes });
    if (head.kind === 'id-delta') entry.baseId = head.base;
    if (head.kind === 'offset-delta') entry.base = baseIndex(byOffset, at - head.back);
    if (head.kind !== 'object') {
      wait(waiting, entry, index);
      hold(state, state.deltas, index, bytes);
    }
    at = head.dataAt + consumed;
  }
  if (at !== end) throw damaged('a pack has more bytes than it says');
  return waiting;
}

type Waiting = { onEntry: Map<number, number[]>; onId: Map<string, number[]> };

function baseIndex(byOffset: ReadonlyMap<number, number>, offset: number): number {
  const index = byOffset.get(offset);
  if (index === undefined) throw damaged('a delta names a base that is not an entry');
  return index;
}

function wait(waiting: Waiting, entry: Entry, index: number): void {
  const add = <Key>(map: Map<Key, number[]>, key: Key) => {
    const list = map.get(key);
    if (list) list.push(index);
    else map.set(key, [index]);
  };
  if (entry.baseId !== undefined) add(waiting.onId, entry.baseId);
  else add(waiting.onEntry, entry.base ?? -1);
}

/** Second pass: builds deltas from their bases outwards, each entry once, in any order of the pack. */
function resolveDeltas(state: PackState, waiting: Waiting, check: () => void): void {
  const ready = state.entries.flatMap((entry, index) => (entry.id === undefined ? [] : [index]));
  let resolved = ready.length;
  for (let base = ready.pop(); base !== undefined; base = ready.pop()) {
    for (const child of takeWaiting(waiting, base, required(entryAt(state, base).id, 'id of a resolved entry'))) {
      if ((resolved & 0xff) === 0) check();
      resolveChild(state, base, child);
      ready.push(child);
      resolved += 1;
    }
  }
  if (resolved !== state.entries.length) {
    throw refused(
      'The Git server sent changes to objects that it did not send. Try again, or run git fsck on the server.',
    );
  }
}

/**
 * Takes the deltas that wait for a base by offset or by id. Each is taken once, even when a pack holds the same object
 * twice.
 */
function takeWaiting(waiting: Waiting, index: number, id: string): number[] {
  const children = [...(waiting.onEntry.get(index) ?? []), ...(waiting.onId.get(id) ?? [])];
  waiting.onId.delete(id);
  return children;
}

function resolveChild(state: PackState, base: number, child: number): void {
  const entry = entryAt(state, child);
  const parent = entryAt(state, base);
  entry.base = base;
  entry.depth = parent.depth + 1;
  if (entry.depth > bounds.deltaDepth) throw refused('The repository nests deltas deeper than Git does.');
  settle(state, child, { type: parent.type as ObjectType, bytes: buildDelta(state, child) });
}

/** Records an object whose content is known, verifies its id, and keeps the content within the budget. */
function settle(state: PackState, index: number, object: { type: ObjectType; bytes: Buffer }): void {
  const entry = entryAt(state, index);
  entry.type = object.type;
  entry.resultSize = object.bytes.length;
  entry.id = objectId(state.format, object);
  state.byId.set(entry.id, index);
  hold(state, state.held, index, object.bytes);
}

function hold(state: PackState, map: Map<number, Buffer>, index: number, bytes: Buffer): void {
  if (state.heldBytes + bytes.length > bounds.heldBytes) return;
  state.heldBytes += bytes.length;
  map.set(index, bytes);
}

function contentOf(state: PackState, index: number): Buffer {
  const held = state.held.get(index);
  if (held) return held;
  const entry = entryAt(state, index);
  return entry.base === undefined ? inflateEntry(state, entry).bytes : buildDelta(state, index);
}

function buildDelta(state: PackState, index: number): Buffer {
  const entry = entryAt(state, index);
  const waited = state.deltas.get(index);
  if (waited && state.deltas.delete(index)) state.heldBytes -= waited.length;
  const delta = waited ?? inflateEntry(state, entry).bytes;
  spend(state, deltaSizes(delta).result);
  return applyDelta(contentOf(state, entry.base ?? -1), delta);
}

function inflateEntry(state: PackState, entry: Entry): { bytes: Buffer; consumed: number } {
  spend(state, entry.size);
  const end = Math.min(state.pack.length, entry.dataAt + deflatedBound(entry.size));
  return inflateExactly(state.pack.subarray(entry.dataAt, end), entry.size);
}

/** Counts bytes before they are produced: one object and the total stay within their limits. */
function spend(state: PackState, size: number): void {
  if (size > limits.blobBytes) {
    throw tooLarge(
      `The repository holds a file over ${limits.blobBytes >> 20} MiB, which is more than a source may have.`,
    );
  }
  state.spentBytes += size;
  if (state.spentBytes > bounds.inflatedBytes) {
    throw tooLarge(`The repository unpacks to more than ${bounds.inflatedBytes >> 20} MiB. Use a smaller repository.`);
  }
}

function entryAt(state: PackState, index: number): Entry {
  const entry = state.entries[index];
  if (!entry) throw damaged('a delta names a base that is not an entry');
  return entry;
}
