import { constants, crc32, inflateRawSync } from 'node:zlib';
import { TofuError } from './error.ts';

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const localSignature = 0x04034b50;
const endBytes = 22;
const zip64LocatorSignature = 0x07064b50;
const zip64LocatorBytes = 20;
const maxCommentBytes = 0xffff;

export type ZipEntry = {
  name: string;
  /** Returns the file, checked by its CRC. Throws when it is damaged or larger than `maxBytes`. */
  read(maxBytes: number): Buffer;
  /** Returns the beginning of a file of any size, unchecked: what its first `packedBytes` bytes in the archive hold. */
  readHead(packedBytes: number): Buffer;
};

/**
 * Lists the files of a ZIP archive (APPNOTE.TXT: stored or deflated, no ZIP64, no encryption), in the order of the
 * central directory. Throws `tool_download_failed` when that is damaged.
 */
export function listZip(archive: Buffer): ZipEntry[] {
  const end = findEnd(archive);
  const count = archive.readUInt16LE(end + 10);
  let at = archive.readUInt32LE(end + 16);
  const entries: ZipEntry[] = [];
  for (let index = 0; index < count; index += 1) {
    if (at + 46 > archive.length || archive.readUInt32LE(at) !== entrySignature) throw damaged();
    const entryAt = at;
    const nameLength = archive.readUInt16LE(at + 28);
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength);
    entries.push({
      name,
      read: (maxBytes) => extract(archive, entryAt, maxBytes),
      readHead: (packedBytes) => extractHead(archive, entryAt, packedBytes),
    });
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return entries;
}

/** Reads one file of an archive. Throws `tool_download_failed` when it is missing or damaged. */
export function readZipFile(archive: Buffer, name: string, maxBytes: number): Buffer {
  const entry = listZip(archive).find((one) => one.name === name);
  if (entry === undefined) throw damaged();
  return entry.read(maxBytes);
}

/**
 * Reports whether the directory of an archive ends where the archive does and is unambiguous. Readers differ in where
 * they look for the directory of other archives, and in which of two files with one name they use.
 */
export function isUnambiguous(archive: Buffer): boolean {
  const end = archive.length - endBytes;
  if (end < 0 || archive.readUInt32LE(end) !== endSignature || archive.readUInt16LE(end + 20) !== 0) return false;
  const [count, size, start] = [
    archive.readUInt16LE(end + 10),
    archive.readUInt32LE(end + 12),
    archive.readUInt32LE(end + 16),
  ];
  const isZip64 =
    count === 0xffff || archive.readUInt32LE(Math.max(0, end - zip64LocatorBytes)) === zip64LocatorSignature;
  if (start + size !== end || isZip64) return false;
  const names = listZip(archive).map(({ name }) => name);
  return new Set(names).size === names.length;
}

function findEnd(archive: Buffer): number {
  const first = Math.max(0, archive.length - endBytes - maxCommentBytes);
  for (let at = archive.length - endBytes; at >= first; at -= 1)
    if (archive.readUInt32LE(at) === endSignature) return at;
  throw damaged();
}

function extract(archive: Buffer, entry: number, maxBytes: number): Buffer {
  const size = archive.readUInt32LE(entry + 24);
  if (size > maxBytes) throw damaged();
  const { data, isStored } = locate(archive, entry);
  const bytes = isStored ? data : inflate(data, size);
  if (bytes.length !== size || crc32(bytes) !== archive.readUInt32LE(entry + 16)) throw damaged();
  return bytes;
}

function extractHead(archive: Buffer, entry: number, packedBytes: number): Buffer {
  const { data, isStored } = locate(archive, entry);
  const head = data.subarray(0, packedBytes);
  if (isStored) return head;
  try {
    return inflateRawSync(head, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    throw damaged();
  }
}

/** Finds the bytes of a file in the archive. */
function locate(archive: Buffer, entry: number): { data: Buffer; isStored: boolean } {
  const method = archive.readUInt16LE(entry + 10);
  const packed = archive.readUInt32LE(entry + 20);
  const local = archive.readUInt32LE(entry + 42);
  if (local + 30 > archive.length || archive.readUInt32LE(local) !== localSignature) throw damaged();
  const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const data = archive.subarray(start, start + packed);
  if (data.length !== packed || (method !== 0 && method !== 8)) throw damaged();
  return { data, isStored: method === 0 };
}

function inflate(data: Buffer, size: number): Buffer {
  try {
    return inflateRawSync(data, { maxOutputLength: Math.max(size, 1) });
  } catch {
    throw damaged();
  }
}

const damaged = (): TofuError =>
  new TofuError(
    'tool_download_failed',
    'The downloaded archive cannot be unpacked; try again or install the tool yourself.',
  );
