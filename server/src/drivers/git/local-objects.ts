import fs from 'node:fs';
import { constants, inflateSync } from 'node:zlib';
import { limits } from '#shared/limits';
import { bounds } from './bounds.ts';
import { applyDelta, deltaSizes } from './delta.ts';
import { damaged, refused, tooLarge } from './git-error.ts';
import { type GitObject, type ObjectReader, type ObjectType, objectId } from './git-object.ts';
import { deflatedBound, inflateExactly } from './inflate.ts';
import type { LocalFiles } from './local-files.ts';
import { type LocalPack, openLocalPack } from './local-pack.ts';

/** Objects of a repository on disk (gitrepository-layout): loose ones and packs. Reads only requested objects. */
export type LocalObjects = ObjectReader & { close: () => void };

type Located = { pack: LocalPack; at: number };
type Store = { files: LocalFiles; packs: LocalPack[]; held: Map<string, GitObject>; heldBytes: number };

export function openLocalObjects(files: LocalFiles): LocalObjects {
  const store: Store = { files, packs: openPacks(files), held: new Map(), heldBytes: 0 };
  const close = () => {
    for (const pack of store.packs) pack.close();
    store.packs = [];
    // Their keys refer to packs by position in the list.
    store.held.clear();
    store.heldBytes = 0;
  };
  // A concurrent `git gc` moves loose objects into a new pack; listing the packs once more finds them there.
  let canReload = true;
  const reloadPacks = () => {
    if (!canReload) return false;
    canReload = false;
    close();
    store.packs = openPacks(files);
    return true;
  };
  const read = (id: string): GitObject | undefined =>
    readObject(store, id) ?? (reloadPacks() ? readObject(store, id) : undefined);
  const stat = (id: string): Stat | undefined =>
    statObject(store, id) ?? (reloadPacks() ? statObject(store, id) : undefined);
  return { read, stat, close };
}

type Stat = { type: ObjectType; size: number };

function openPacks(files: LocalFiles): LocalPack[] {
  const names = files.list('objects/pack', bounds.packs).map(({ name }) => name);
  const packs: LocalPack[] = [];
  try {
    for (const name of names.filter((one) => /^pack-[0-9a-f]+\.idx$/.test(one))) {
      const pack = openLocalPack(files, `objects/pack/${name}`);
      if (pack) packs.push(pack);
    }
    return packs;
  } catch (error) {
    for (const pack of packs) pack.close();
    throw error;
  }
}

function readObject(store: Store, id: string): GitObject | undefined {
  const located = locate(store, id);
  const object = located ? readPacked(store, located, 0) : readLoose(store, id);
  if (object && objectId('sha1', object) !== id) throw damaged(`object ${id} has another content`);
  return object;
}

function statObject(store: Store, id: string): Stat | undefined {
  const located = locate(store, id);
  return located ? statPacked(store, located, 0) : statLoose(store, id)?.stat;
}

function locate(store: Store, id: string): Located | undefined {
  for (const pack of store.packs) {
    const at = pack.find(id);
    if (at !== undefined) return { pack, at };
  }
  return undefined;
}

function readPacked(store: Store, located: Located, depth: number): GitObject {
  const { pack, at } = located;
  const key = `${store.packs.indexOf(pack)}:${at}`;
  const held = store.held.get(key);
  if (held) return held;
  const head = pack.head(at);
  checkSize(head.size);
  const { bytes } = inflateExactly(pack.stream(head.dataAt, head.size), head.size);
  const object = head.kind === 'object' ? { type: head.type, bytes } : undefined;
  const result = object ?? buildDelta(readPacked(store, baseOf(store, located), deeper(depth)), bytes);
  hold(store, key, result);
  return result;
}

function buildDelta(base: GitObject, delta: Buffer): GitObject {
  checkSize(deltaSizes(delta).result);
  return { type: base.type, bytes: applyDelta(base.bytes, delta) };
}

function baseOf(store: Store, { pack, at }: Located): Located {
  const head = pack.head(at);
  const base =
    head.kind === 'offset-delta' ? at - head.back : head.kind === 'id-delta' ? pack.find(head.base) : undefined;
  if (base === undefined || base <= 0 || !store.packs.includes(pack))
    throw damaged('a delta names a base that is not there');
  return { pack, at: base };
}

/**
 * Returns type and size without the content: of a delta, only its first bytes and the type of its last base are read.
 */
function statPacked(store: Store, located: Located, depth: number): Stat {
  const { pack, at } = located;
  const head = pack.head(at);
  if (head.kind === 'object') return { type: head.type, size: head.size };
  const base = statPacked(store, baseOf(store, located), deeper(depth));
  return { type: base.type, size: deltaSizes(inflateStart(pack.stream(head.dataAt, startBytes))).result };
}

function deeper(depth: number): number {
  if (depth >= bounds.deltaDepth) throw refused('The repository nests deltas deeper than Git does.');
  return depth + 1;
}

function hold(store: Store, key: string, object: GitObject): void {
  if (store.heldBytes > bounds.heldBytes) {
    store.held.clear();
    store.heldBytes = 0;
  }
  store.held.set(key, object);
  store.heldBytes += object.bytes.length;
}

function checkSize(size: number): void {
  if (size > limits.blobBytes) throw tooLarge(`The repository holds a file over ${limits.blobBytes >> 20} MiB.`);
}

/**
 * Input length that always contains the head: the code tables of a stream (RFC 1951 §3.2.7) take up to 290 bytes before
 * it.
 */
const startBytes = 512;

/** Padding that some writers leave after the stream of a file. */
const slackBytes = 4_096;

/** Inflates the first bytes of an incomplete stream. */
function inflateStart(input: Buffer): Buffer {
  try {
    return inflateSync(input, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 1 << 20 });
  } catch {
    throw damaged('an object cannot be unpacked');
  }
}

const looseHead = /^(commit|tree|blob|tag) (\d{1,15})\0/;

function statLoose(store: Store, id: string): { stat: Stat; headLength: number; file: string } | undefined {
  const file = `objects/${id.slice(0, 2)}/${id.slice(2)}`;
  const start = readStart(store.files, file);
  if (!start) return undefined;
  const match = looseHead.exec(inflateStart(start).toString('latin1', 0, 64));
  if (!match) throw damaged(`object ${id} has no head`);
  return { stat: { type: match[1] as ObjectType, size: Number(match[2]) }, headLength: match[0].length, file };
}

function readLoose(store: Store, id: string): GitObject | undefined {
  const looseObject = statLoose(store, id);
  if (!looseObject) return undefined;
  checkSize(looseObject.stat.size);
  const size = looseObject.headLength + looseObject.stat.size;
  const deflated = store.files.read(looseObject.file, deflatedBound(size) + slackBytes);
  if (deflated === undefined) return undefined;
  const { bytes } = inflateExactly(deflated, size);
  return { type: looseObject.stat.type, bytes: bytes.subarray(looseObject.headLength) };
}

function readStart(files: LocalFiles, file: string): Buffer | undefined {
  const opened = files.open(file);
  if (opened === undefined) return undefined;
  try {
    const bytes = Buffer.alloc(startBytes);
    return bytes.subarray(0, fs.readSync(opened.descriptor, bytes));
  } finally {
    fs.closeSync(opened.descriptor);
  }
}
