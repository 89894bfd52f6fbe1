import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';

export {
  makeFolder,
  makeWorkFolder,
  settle,
  syncFolder,
  syncFolders,
  writeAtomically,
  writeDurably,
  writeDurablyAsync,
} from '#server/kernel/disk';

/** The bytes of a regular file that a module could have tampered with: never through a link, never beyond `maxBytes`. */
export function readPlainFile(file: string, maxBytes: number): Buffer | undefined {
  let descriptor: number;
  try {
    // Without O_NONBLOCK a FIFO laid in the place of the file would hold us for ever.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
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
 * Tells one content of a file from the next: the time of a change of the inode cannot be set by hand. Empty when there is
 * none.
 */
export function stampOf(file: string): string {
  const stat = lstatSync(file, { throwIfNoEntry: false, bigint: true });
  return stat === undefined ? '' : `${stat.ino}-${stat.size}-${stat.ctimeNs}`;
}
