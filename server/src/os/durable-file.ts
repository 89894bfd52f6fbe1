import { lstatSync } from 'node:fs';

export {
  makeWorkFolder,
  settle,
  syncFolders,
  writeAtomically,
  writeDurably,
  writeDurablyAsync,
} from '#server/kernel/disk';
export { readPlainFile } from '#server/kernel/plain-file';

/**
 * Returns a stamp that changes with the content of a file: the change time of an inode cannot be set manually. Empty
 * when the file does not exist.
 */
export function stampOf(file: string): string {
  const stat = lstatSync(file, { throwIfNoEntry: false, bigint: true });
  return stat === undefined ? '' : `${stat.ino}-${stat.size}-${stat.ctimeNs}`;
}
