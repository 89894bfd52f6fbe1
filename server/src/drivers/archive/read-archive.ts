import { createHash, type Hash } from 'node:crypto';
import fs from 'node:fs';
import { openPlain } from '#server/kernel/open-plain';
import { ArchiveError } from './archive-error.ts';
import { assertInnerPath } from './archive-path.ts';
import { blockBytes, decodeBlock, decodePaxPath, paddingAfter, type TarHeader } from './tar.ts';

type ArchiveEntry = { path: string; executable: boolean; bytes: Buffer };
type ReadOptions = {
  /** Files that it rejects are skipped without being held in memory. */
  filter?: (path: string) => boolean;
  /** Checked over every byte of the archive, after the last file was returned. */
  digest?: string;
};

const windowBytes = 4 << 20;

/**
 * Reads the files of an archive in path order, in one pass. `bytes` stay valid after the iteration continues.
 * Synchronous: call it off the server thread. Throws `ArchiveError`: missing, damaged, or a digest that differs from
 * `digest`.
 */
export function* readArchive(file: string, options: ReadOptions = {}): Generator<ArchiveEntry, void, void> {
  const window = openWindow(file, options.digest === undefined ? undefined : createHash('sha256'));
  try {
    for (let header = nextHeader(window); header; header = nextHeader(window)) {
      const padding = paddingAfter(header.size);
      if (options.filter?.(header.path) === false) {
        window.skip(header.size + padding);
        continue;
      }
      const bytes = window.take(header.size);
      window.skip(padding);
      yield { path: header.path, executable: header.executable, bytes };
    }
    if (options.digest !== undefined && window.finish() !== options.digest) throw changed();
  } finally {
    window.close();
  }
}

/** Reports whether the archive at this path exists and has exactly this digest. */
export function verifyArchive(file: string, digest: string): boolean {
  let window: Window;
  try {
    window = openWindow(file, createHash('sha256'));
  } catch (error) {
    if (error instanceof ArchiveError) return false;
    throw error;
  }
  try {
    return window.finish() === digest;
  } finally {
    window.close();
  }
}

const changed = () =>
  new ArchiveError('archive_corrupt', 'The archive is not the one that was recorded. Sync the source again.');

function nextHeader(window: Window): TarHeader | undefined {
  let block = decodeBlock(window.take(blockBytes));
  let path: string | undefined;
  if (block.kind === 'pax') {
    path = decodePaxPath(window.take(block.size));
    window.skip(paddingAfter(block.size));
    block = decodeBlock(window.take(blockBytes));
    if (block.kind !== 'file') throw changed();
  }
  if (block.kind !== 'file') return undefined;
  const header = path === undefined ? block : { ...block, path };
  assertInnerPath(header.path);
  return header;
}

type Window = {
  /** Returns the next bytes; throws `archive_corrupt` when the file ends before them. */
  take: (length: number) => Buffer;
  skip: (length: number) => void;
  /** Hashes the rest and returns the digest of the whole file. */
  finish: () => string;
  close: () => void;
};

/** Reads a file front to back in large pieces, never into a buffer that was already returned. */
function openWindow(file: string, hash: Hash | undefined): Window {
  const fd = openArchive(file);
  const fileBytes = fs.fstatSync(fd).size;
  let buffer = Buffer.alloc(0);
  let position = 0;
  const fill = (length: number): boolean => {
    // A damaged header may claim any length, so no buffer larger than the rest of the file is allocated.
    if (length > fileBytes) return false;
    const rest = buffer.subarray(position);
    const next = Buffer.allocUnsafe(Math.max(length, windowBytes));
    rest.copy(next);
    let filled = rest.length;
    while (filled < length) {
      const count = fs.readSync(fd, next, filled, next.length - filled, null);
      if (count === 0) break;
      hash?.update(next.subarray(filled, filled + count));
      filled += count;
    }
    buffer = next.subarray(0, filled);
    position = 0;
    return filled >= length;
  };
  const take = (length: number): Buffer => {
    if (buffer.length - position < length && !fill(length)) throw changed();
    position += length;
    return buffer.subarray(position - length, position);
  };
  const skip = (length: number): void => {
    for (let left = length; left > 0; left -= Math.min(left, windowBytes)) take(Math.min(left, windowBytes));
  };
  const finish = (): string => {
    do position = buffer.length;
    while (fill(1));
    return `sha256:${hash?.digest('hex')}`;
  };
  return { take, skip, finish, close: () => fs.closeSync(fd) };
}

function openArchive(file: string): number {
  try {
    return openPlain(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new ArchiveError('archive_missing', 'The archive of this snapshot is gone. Sync the source again.');
  }
}
