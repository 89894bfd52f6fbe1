import fs from 'node:fs';
import path from 'node:path';
import { readArchive } from '#server/drivers/archive/index';
import { steersTool } from '#server/drivers/tofu/index';
import { freeBytes, isDiskFault, leastFreeBytes } from '#server/kernel/disk';
import { openInside, readPieces } from '#server/kernel/open-inside';
import { backupLimits } from '#shared/limits';
import type { OmittedFile } from './about-members.ts';
import { type FileListing, type FolderFile, listFiles } from './folder-files.ts';

type Tree = {
  /** Folder of the Capsule's tree. */
  dir: string;
  /** Its path in the data folder. */
  name: string;
  /** Paths of the module's own files: a Run writes them again. */
  own: ReadonlySet<string>;
  /** Folder for copies, because a running apply may change the originals. */
  copies: string;
  /** Number of files that the backup may hold of this tree. */
  maxFiles: number;
};

/**
 * Copies the files that commands left in the tree of a Capsule. Files of its module and files that would steer the tool
 * are left out: each Run writes the former again and removes the latter. So are files over the limits: a module may write
 * files of any size, and a sparse one needs no space until it is copied.
 */
export function copyLeftFiles({ dir, name, own, copies, maxFiles }: Tree): FileListing {
  const isSkipped = (relative: string) => own.has(relative) || steersTool(path.posix.basename(relative));
  const { files, omitted } = listFiles({ dir, name, isSkipped, maxFiles });
  const copied: FolderFile[] = [];
  let left: number = backupLimits.leftTreeBytes;
  for (const found of files) {
    const file = path.join(copies, found.path);
    const maxBytes = Math.min(left, backupLimits.leftFileBytes);
    const copy = copyInside({ dir, relative: found.path.slice(name.length + 1), to: file, maxBytes });
    if ('reason' in copy) omitted.push({ path: found.path, reason: copy.reason });
    else {
      copied.push({ ...found, file });
      left -= copy.bytes;
    }
  }
  return { files: copied, omitted };
}

type Copy = { dir: string; relative: string; to: string; maxBytes: number };
type Copied = { bytes: number } | { reason: OmittedFile['reason'] };

/** Copies a regular file below a folder. Throws when the disk has too little space. */
export function copyInside({ dir, relative, to, maxBytes }: Copy): Copied {
  const opened = openInside(dir, relative);
  if (opened === undefined) return { reason: 'unreadable' };
  try {
    if (opened.stat.size > maxBytes) return { reason: 'too_large' };
    const folder = path.dirname(to);
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    requireSpace(folder, opened.stat.size);
    const bytes = copyDescriptor(opened.descriptor, to, maxBytes + 1);
    if (bytes <= maxBytes) return { bytes };
    // It grew while it was copied.
    fs.rmSync(to);
    return { reason: 'too_large' };
  } catch (error) {
    if (isDiskFault(error)) throw error;
    return { reason: 'unreadable' };
  } finally {
    fs.closeSync(opened.descriptor);
  }
}

/** Throws the error of a full disk before a copy takes the space that applies need for their states. */
export function requireSpace(folder: string, bytes: number): void {
  if (freeBytes(folder) - bytes >= leastFreeBytes) return;
  throw Object.assign(new Error('The disk has too little space for the copies of a backup.'), { code: 'ENOSPC' });
}

function copyDescriptor(from: number, to: string, maxBytes: number): number {
  const target = fs.openSync(to, 'wx', 0o600);
  let bytes = 0;
  try {
    for (const piece of readPieces(from, maxBytes)) {
      fs.writeFileSync(target, piece);
      bytes += piece.length;
    }
    return bytes;
  } finally {
    fs.closeSync(target);
  }
}

/** Returns the paths of the files in an archive; none when it is missing or damaged. */
export function listArchivedPaths(archive: string): Set<string> {
  const paths = new Set<string>();
  const note = (name: string) => {
    paths.add(name);
    return false;
  };
  try {
    for (const _ of readArchive(archive, { filter: note }));
    return paths;
  } catch {
    // The files of the module are then backed up with those that commands left.
    return new Set();
  }
}
