import fs from 'node:fs';
import { bounds } from './bounds.ts';
import { damaged, tooLarge } from './git-error.ts';
import { deflatedBound } from './inflate.ts';
import type { LocalFiles } from './local-files.ts';
import { entryHeadBytes, type PackEntryHead, readEntryHead } from './pack-entry.ts';

/** A pack on disk with its index: the location of objects, and the bytes there. `at` is an offset in the pack. */
export type LocalPack = {
  find: (id: string) => number | undefined;
  head: (at: number) => PackEntryHead;
  /** Returns the bytes that a zlib stream of this content size may take, from an offset on. */
  stream: (at: number, size: number) => Buffer;
  close: () => void;
};

/*
 * Index version 2 (gitformat-pack): magic, version, 256 counts by first byte, the sorted ids, a CRC per object, a
 * four-byte offset per object, and eight-byte offsets for packs over 2 GiB.
 */
const magic = 0xff744f63;
const fanoutAt = 8;
const idsAt = fanoutAt + 256 * 4;
const idLength = 20;
const largeOffset = 0x80000000;

/**
 * Opens a pack by the name of its `.idx`; undefined when one of the two is missing. Throws `GitError` for an unreadable
 * index.
 */
export function openLocalPack(files: LocalFiles, indexName: string): LocalPack | undefined {
  const index = readIndex(files, indexName);
  if (index === undefined) return undefined;
  if (index.length < idsAt || index.readUInt32BE(0) !== magic || index.readUInt32BE(4) !== 2) {
    throw damaged('a pack index has an unknown form');
  }
  const count = index.readUInt32BE(idsAt - 4);
  if (index.length < idsAt + count * (idLength + 8)) throw damaged('a pack index ends early');
  const pack = files.open(indexName.replace(/\.idx$/, '.pack'));
  if (pack === undefined) return undefined;
  const { descriptor: fd, size: packBytes } = pack;
  const read = (at: number, length: number): Buffer => {
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, packBytes - at)));
    return bytes.subarray(0, fs.readSync(fd, bytes, 0, bytes.length, at));
  };
  return {
    find: (id) => {
      const slot = findSlot(index, Buffer.from(id, 'hex'));
      return slot === undefined ? undefined : offsetOf(index, slot, count);
    },
    head: (at) => {
      const head = readEntryHead(read(at, entryHeadBytes), 0, 'sha1');
      return { ...head, dataAt: at + head.dataAt };
    },
    stream: (at, size) => read(at, deflatedBound(size)),
    close: () => fs.closeSync(fd),
  };
}

function readIndex(files: LocalFiles, name: string): Buffer | undefined {
  const opened = files.open(name);
  if (opened === undefined) return undefined;
  fs.closeSync(opened.descriptor);
  if (opened.size <= bounds.packIndexBytes) return files.read(name, bounds.packIndexBytes);
  throw tooLarge('The repository is too large to be read from disk. Push it to a server, or clone it with --depth 1.');
}

/** Binary search among the ids that share the first byte. */
function findSlot(index: Buffer, id: Buffer): number | undefined {
  const first = id[0] ?? 0;
  let low = first === 0 ? 0 : index.readUInt32BE(fanoutAt + (first - 1) * 4);
  let high = index.readUInt32BE(fanoutAt + first * 4);
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = idsAt + middle * idLength;
    const order = index.compare(id, 0, idLength, at, at + idLength);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return undefined;
}

function offsetOf(index: Buffer, slot: number, count: number): number {
  const offsetsAt = idsAt + count * (idLength + 4);
  const offset = index.readUInt32BE(offsetsAt + slot * 4);
  if (offset < largeOffset) return offset;
  const wideAt = offsetsAt + count * 4 + (offset - largeOffset) * 8;
  if (wideAt + 8 > index.length) throw damaged('a pack index ends early');
  return Number(index.readBigUInt64BE(wideAt));
}
