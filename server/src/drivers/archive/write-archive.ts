import { createHash, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { makeFolder, syncFolder } from '#server/kernel/disk';
import { failpoint } from '#server/kernel/failpoints';
import { limits } from '#shared/limits';
import { ArchiveError } from './archive-error.ts';
import { archivePath, assertInnerPath } from './archive-path.ts';
import { encodeHeader, endOfTar, paddingAfter } from './tar.ts';

/**
 * A file to archive. `bytes` may be a function, called once and in path order, so that not all contents are held in
 * memory.
 */
export type ArchiveInput = { path: string; executable: boolean; bytes: Uint8Array | (() => Uint8Array) };
/** `digest` is `sha256:` and 64 hex digits of the tar, `sizeBytes` its length, `path` its location. */
export type WrittenArchive = { digest: string; sizeBytes: number; path: string };

const flushBytes = 1 << 20;
const zeros = Buffer.alloc(512);

/**
 * Writes a content-addressed archive: files sorted by the bytes of their path, time 0, owner 0, mode 0644 or 0755, so
 * equal files give equal bytes. It appears completely or not at all (temporary file, fsync, rename, fsync of the
 * folder), replacing an existing one. Synchronous: call it off the server thread. Throws `ArchiveError`, or the file
 * system's error.
 */
export function writeArchive(request: { dir: string; entries: Iterable<ArchiveInput> }): WrittenArchive {
  const entries = sortByPath(request.entries);
  makeFolder(request.dir);
  const temporary = path.join(request.dir, `.${randomUUID()}.tmp`);
  try {
    const { digest, sizeBytes } = writeTar(temporary, entries);
    const target = archivePath(request.dir, digest);
    publish(temporary, target);
    return { digest, sizeBytes, path: target };
  } finally {
    fs.rmSync(temporary, { force: true });
  }
}

function sortByPath(inputs: Iterable<ArchiveInput>): ArchiveInput[] {
  const keyed = [...inputs].map((entry) => ({ entry, key: Buffer.from(entry.path, 'utf8') }));
  keyed.sort((left, right) => Buffer.compare(left.key, right.key));
  const files = new Set<string>();
  for (const { entry } of keyed) {
    assertInnerPath(entry.path);
    if (files.has(entry.path) || files.has(fileAbove(entry.path, files))) {
      throw new ArchiveError(
        'archive_path_refused',
        'A path appears twice in the archive, or is both file and folder.',
      );
    }
    files.add(entry.path);
  }
  if (keyed.length > limits.archiveFiles) {
    throw new ArchiveError('archive_too_large', `The archive would hold more than ${limits.archiveFiles} files.`);
  }
  return keyed.map(({ entry }) => entry);
}

/**
 * Returns the nearest folder of a path that is already a file, or the topmost folder. A file sorts before its
 * descendants.
 */
function fileAbove(name: string, files: ReadonlySet<string>): string {
  let folder = path.posix.dirname(name);
  while (folder !== '.' && !files.has(folder)) folder = path.posix.dirname(folder);
  return folder;
}

function writeTar(file: string, entries: readonly ArchiveInput[]): { digest: string; sizeBytes: number } {
  const fd = fs.openSync(file, 'wx', 0o600);
  const hash = createHash('sha256');
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  let sizeBytes = 0;
  const flush = () => {
    const joined = Buffer.concat(pending, pendingBytes);
    hash.update(joined);
    writeWhole(fd, joined);
    sizeBytes += pendingBytes;
    pending = [];
    pendingBytes = 0;
  };
  const add = (chunk: Uint8Array) => {
    pending.push(chunk);
    pendingBytes += chunk.length;
    if (pendingBytes >= flushBytes) flush();
  };
  try {
    for (const entry of entries) {
      const bytes = typeof entry.bytes === 'function' ? entry.bytes() : entry.bytes;
      add(encodeHeader({ path: entry.path, executable: entry.executable, size: bytes.length }));
      add(bytes);
      add(zeros.subarray(0, paddingAfter(bytes.length)));
    }
    add(endOfTar);
    flush();
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
  return { digest: `sha256:${hash.digest('hex')}`, sizeBytes };
}

function writeWhole(fd: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) written += fs.writeSync(fd, bytes, written);
}

/**
 * Renames the temporary file to its final name, even when a file of that name exists: that one may be damaged, and the
 * new time marks the archive as in use.
 */
function publish(temporary: string, target: string): void {
  const folder = path.dirname(target);
  makeFolder(folder);
  failpoint('archive.written');
  fs.renameSync(temporary, target);
  failpoint('archive.renamed');
  syncFolder(folder);
}
