import { closeSync, fstatSync, lstatSync, readFileSync } from 'node:fs';
import { openPlain } from '#server/kernel/open-plain';

export {
  makeWorkFolder,
  settle,
  syncFolders,
  writeAtomically,
  writeDurably,
  writeDurablyAsync,
} from '#server/kernel/disk';

/**
 * Returns the bytes of a regular file that a module could have tampered with: never through a link, never beyond
 * `maxBytes`.
 */
export function readPlainFile(file: string, maxBytes: number): Buffer | undefined {
  let descriptor: number;
  try {
    descriptor = openPlain(file);
  } catch {
    return undefined;
  }
  try {
    const stat = fstatSync(descriptor);
    return stat.isFile() && stat.size <= maxBytes ? readFileSync(descriptor) : undefined;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Returns a stamp that changes with the content of a file: the change time of an inode cannot be set manually. Empty
 * when the file does not exist.
 */
export function stampOf(file: string): string {
  const stat = lstatSync(file, { throwIfNoEntry: false, bigint: true });
  return stat === undefined ? '' : `${stat.ino}-${stat.size}-${stat.ctimeNs}`;
}
