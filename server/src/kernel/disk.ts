import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { constants } from 'node:os';
import path from 'node:path';
import { failpoint } from './failpoints.ts';

/** Below this an apply is not begun: its state has to find room, whatever else happens. */
export const leastFreeBytes = 67_108_864;

/** Bytes that may still be written to the file system of a folder. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/**
 * Writes a file so that after a power cut it holds what it held before, or all of this. Mode 0600. When it throws, the
 * old content is still what counts, and a call that follows begins with a new file: after a failed fsync the system may
 * take pages for written that are not, so that another fsync of the same ones would prove nothing.
 */
export function writeDurably(file: string, content: string | Uint8Array): void {
  replace(file, content, fsyncSync);
  syncFolder(path.dirname(file));
  failpoint('durable.synced');
}

/**
 * Writes a file that is there at once, in one piece for every reader, and resolves when no power cut can take it any more.
 * A cut before that may leave anything in its place, so nobody may rely on it earlier. Mode 0600. Throws at once when it
 * cannot be written.
 */
export function writeDurablyAsync(file: string, content: string | Uint8Array): Promise<void> {
  writeAtomically(file, content);
  return settle(file).then(() => failpoint('durable.synced'));
}

/**
 * Resolves when no power cut can take a file any more that lies there already, nor its name. One after the other, because
 * most file systems write a name together with the content, and have nothing left to do then.
 */
export async function settle(file: string): Promise<void> {
  await sync(file, 'r+');
  await syncFolders([path.dirname(file)]);
}

/** The same for a file that need not outlive this boot of the machine. */
export const writeAtomically = (file: string, content: string | Uint8Array): void => replace(file, content, () => {});

function replace(file: string, content: string | Uint8Array, sync: (descriptor: number) => void): void {
  const temporary = `${file}.tmp`;
  try {
    rmSync(temporary, { force: true });
    const descriptor = openSync(temporary, 'wx', 0o600);
    try {
      writeFileSync(descriptor, content);
      sync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    failpoint('durable.written');
    renameSync(temporary, file);
  } catch (error) {
    discard(temporary);
    throw error;
  }
  failpoint('durable.renamed');
}

/** What was begun on a full disk would keep its last room. */
function discard(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The write has failed; that is told.
  }
}

/**
 * Makes a private folder with all that is missing above it, and their names durable: a file is lost with its folder's
 * name. One by one, because Node's own way up takes a failing disk for a missing folder.
 */
export function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  const above = path.dirname(folder);
  makeFolder(above);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Somebody else may have made it meanwhile.
    if (!isFolder(folder)) throw error;
  }
  syncFolder(above);
}

/** The same for a folder whose content can be made anew: a power cut may take its name. */
export function makeWorkFolder(folder: string): void {
  if (isFolder(folder)) return;
  makeFolder(path.dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

const isFolder = (folder: string): boolean => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;

/** Makes the content of a file survive a power cut. */
export function syncFile(file: string): void {
  const descriptor = openSync(file, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes the names in a folder survive a power cut. Windows has no handle on a folder to sync. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The same for several folders at once, beside whatever else is done. */
export async function syncFolders(folders: readonly string[]): Promise<void> {
  if (process.platform === 'win32') return;
  await Promise.all(folders.map((folder) => sync(folder, 'r')));
}

async function sync(file: string, flags: 'r' | 'r+'): Promise<void> {
  const handle = await open(file, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const diskCodes = new Set(['ENOSPC', 'EIO', 'EROFS']);

/** Whether an error says that the disk takes no writes, of which nothing else is at fault: a full or a failing one, of files or of the ledger. */
export function isDiskFault(error: unknown): boolean {
  const { code, errno } = (error ?? {}) as { code?: unknown; errno?: unknown };
  // Node has no name for a quota that is used up.
  if (errno === -constants.errno.EDQUOT) return true;
  if (typeof code !== 'string') return false;
  return diskCodes.has(code) || /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/.test(code);
}
