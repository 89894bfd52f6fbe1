import fs from 'node:fs';
import path from 'node:path';
import { openPlain } from '#server/kernel/open-plain';
import { ArchiveError } from './archive-error.ts';
import { readArchive } from './read-archive.ts';

type ExtractRequest = {
  /** Path of the archive. */
  path: string;
  /** Private folder for the files; created when it is missing. */
  dir: string;
  filter?: (path: string) => boolean;
  /** Expected digest, if any. It is checked in the same pass, so on failure files were already written. */
  digest?: string;
};

const { O_CREAT, O_EXCL, O_WRONLY } = fs.constants;
/** Fails for a link too. */
const createNew = O_CREAT | O_EXCL | O_WRONLY;

/**
 * Writes the files of an archive below a folder, mode 0644 or 0755, and returns their paths in archive order. A correct
 * file is kept. Anything else at its path is removed and created again, so neither a symlink nor a second hard link is
 * written through, and a symlink or file in place of a folder is replaced by a folder. No code of the module may run at
 * the same time. Synchronous: call it off the server thread. Throws `ArchiveError`, or the file system's error.
 */
export function extractArchive(request: ExtractRequest): string[] {
  fs.mkdirSync(request.dir, { recursive: true, mode: 0o700 });
  if (!fs.lstatSync(request.dir).isDirectory()) {
    throw new ArchiveError(
      'archive_path_refused',
      'The folder for the files is a link or a file, so nothing is written.',
    );
  }
  const folders = new Set(['.']);
  const written: string[] = [];
  const { filter, digest } = request;
  for (const entry of readArchive(request.path, { ...(filter && { filter }), ...(digest && { digest }) })) {
    ensureFolder(request.dir, path.posix.dirname(entry.path), folders);
    writeTreeFile(path.join(request.dir, entry.path), entry.bytes, entry.executable ? 0o755 : 0o644);
    written.push(entry.path);
  }
  return written;
}

/** Makes each folder down to this one a real folder; `known` holds those already checked in this pass. */
function ensureFolder(root: string, relative: string, known: Set<string>): void {
  if (known.has(relative)) return;
  ensureFolder(root, path.posix.dirname(relative), known);
  const folder = path.join(root, relative);
  const stats = fs.lstatSync(folder, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) {
    if (stats) fs.unlinkSync(folder);
    fs.mkdirSync(folder);
    fs.chmodSync(folder, 0o755);
  }
  known.add(relative);
}

function writeTreeFile(file: string, bytes: Buffer, mode: number): void {
  let fd: number;
  try {
    fd = fs.openSync(file, createNew, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (isAlready(file, bytes, mode)) return;
    fs.rmSync(file, { recursive: true, force: true });
    fd = fs.openSync(file, createNew, mode);
  }
  try {
    let written = 0;
    while (written < bytes.length) written += fs.writeSync(fd, bytes, written);
    // The umask of the process must not decide what a module sees.
    fs.fchmodSync(fd, mode);
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * Reports whether a regular file with one link, this mode and these bytes exists here. Reading costs half of rewriting.
 */
function isAlready(file: string, bytes: Buffer, mode: number): boolean {
  const seen = fs.lstatSync(file);
  if (!seen.isFile() || seen.nlink !== 1 || seen.size !== bytes.length || (seen.mode & 0o7777) !== mode) return false;
  const fd = openPlain(file);
  try {
    const existing = Buffer.allocUnsafe(bytes.length);
    return fs.readSync(fd, existing) === bytes.length && existing.equals(bytes);
  } finally {
    fs.closeSync(fd);
  }
}
