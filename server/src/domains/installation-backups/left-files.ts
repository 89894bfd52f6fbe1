import fs from 'node:fs';
import path from 'node:path';
import { readArchive } from '#server/drivers/archive/index';
import { steersTool } from '#server/drivers/tofu/index';
import { isDiskFault } from '#server/kernel/disk';
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
};

/**
 * Copies the files that commands left in the tree of a Capsule. Files of its module and files that would steer the tool
 * are left out: each Run writes the former again and removes the latter.
 */
export function copyLeftFiles({ dir, name, own, copies }: Tree): FileListing {
  const isSkipped = (relative: string) => own.has(relative) || steersTool(path.posix.basename(relative));
  const { files, omitted } = listFiles({ dir, name, isSkipped });
  const copied: FolderFile[] = [];
  for (const found of files) {
    const file = path.join(copies, found.path);
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    if (copyRegular(found.file, file)) copied.push({ ...found, file });
    else omitted.push({ path: found.path, reason: 'unreadable' });
  }
  return { files: copied, omitted };
}

/** Copies a regular file, never through a link that replaced it. Returns false when it cannot be read. */
function copyRegular(from: string, to: string): boolean {
  try {
    const descriptor = fs.openSync(from, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0));
    try {
      if (!fs.fstatSync(descriptor).isFile()) return false;
      copyDescriptor(descriptor, to);
      return true;
    } finally {
      fs.closeSync(descriptor);
    }
  } catch (error) {
    if (isDiskFault(error)) throw error;
    return false;
  }
}

const copyBytes = 1 << 20;

function copyDescriptor(from: number, to: string): void {
  const target = fs.openSync(to, 'wx', 0o600);
  const buffer = Buffer.allocUnsafe(copyBytes);
  try {
    for (let count = fs.readSync(from, buffer); count > 0; count = fs.readSync(from, buffer))
      fs.writeFileSync(target, buffer.subarray(0, count));
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
