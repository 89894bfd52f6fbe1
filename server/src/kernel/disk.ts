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
import { isImplemented } from './platforms.ts';

/** Free bytes below which no apply starts, so that its state can still be written. */
export const leastFreeBytes = 67_108_864;

/** Returns the bytes that may still be written to the file system of a folder. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/**
 * Writes a file so that after a power cut it holds either its old content or all of the new one. Mode 0600. When it
 * throws, the old content is still valid, and a retry starts with a new file: after a failed fsync the kernel may
 * consider unwritten pages as written, so another fsync of the same pages would prove nothing.
 */
export function writeDurably(file: string, content: string | Uint8Array): void {
  replace(file, content, fsyncSync);
  syncFolder(path.dirname(file));
  failpoint('durable.synced');
}

/**
 * Writes a file that readers see at once and whole, and resolves when it survives a power cut. Until then its content
 * after a cut is undefined, so nothing may rely on it. Mode 0600. Throws at once when it cannot be written.
 */
export function writeDurablyAsync(file: string, content: string | Uint8Array): Promise<void> {
  writeAtomically(file, content);
  return settle(file).then(() => failpoint('durable.synced'));
}

/**
 * Resolves when an existing file and its name survive a power cut. The two syncs run in sequence, because most file
 * systems write a name together with the content, and the second sync is then cheap.
 */
export async function settle(file: string): Promise<void> {
  await sync(file, 'r+');
  await syncFolders([path.dirname(file)]);
}

/** Writes a file atomically that need not survive a reboot. */
export const writeAtomically = (file: string, content: string | Uint8Array): void => replace(file, content, () => {});

function replace(file: string, content: string | Uint8Array, sync: (descriptor: number) => void): void {
  const temporary = temporaryOf(file);
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

const temporaryOf = (file: string): string => `${file}.tmp`;

/** Removes what a process that died while it wrote this file has left. */
export const removeUnfinished = (file: string): void => rmSync(temporaryOf(file), { force: true });

/** Removes a temporary file, which would keep the last free space of a full disk. */
function discard(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The write error is already reported.
  }
}

/**
 * Creates a private folder with all missing parents, and makes their names durable: a file is lost with its folder's
 * name. Level by level, because Node's recursive mode mistakes a failing disk for a missing folder.
 */
export function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  const above = path.dirname(folder);
  makeFolder(above);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it concurrently.
    if (!isFolder(folder)) throw error;
  }
  syncFolder(above);
}

/** Creates a folder whose content can be created again, so its name need not survive a power cut. */
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

/** Makes the names in a folder survive a power cut. Does nothing on Windows, where a folder cannot be opened for a sync. */
export function syncFolder(folder: string): void {
  if (!isImplemented('folderSync')) return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Syncs several folders concurrently. */
export async function syncFolders(folders: readonly string[]): Promise<void> {
  if (!isImplemented('folderSync')) return;
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

/** Reports whether an error means that the disk of files or of the ledger is full or failing. */
export function isDiskFault(error: unknown): boolean {
  const { code, errno } = (error ?? {}) as { code?: unknown; errno?: unknown };
  // Node has no name for the error of an exhausted quota.
  if (errno === -constants.errno.EDQUOT) return true;
  if (typeof code !== 'string') return false;
  return diskCodes.has(code) || /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/.test(code);
}
