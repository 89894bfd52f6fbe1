import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs';

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/**
 * Opens a file for reading, never through a link as its last part, and without waiting for the writer of a FIFO. Throws
 * the error of the file system, `ELOOP` for a link. The caller closes the descriptor.
 */
export function openPlain(file: string, platform: NodeJS.Platform = process.platform): number {
  if (platform !== 'win32') return openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const named = lstatSync(file, { bigint: true });
  if (named.isSymbolicLink()) throw linkError(file);
  const descriptor = openSync(file, O_RDONLY);
  if (isSameFile(named, fstatSync(descriptor, { bigint: true }))) return descriptor;
  closeSync(descriptor);
  throw linkError(file);
}

/** Reports whether two facts are about one file, by the numbers of its device and of its inode. */
export const isSameFile = (one: BigIntStats, other: BigIntStats): boolean =>
  one.dev === other.dev && one.ino === other.ino;

const linkError = (file: string): Error =>
  Object.assign(new Error(`ELOOP: ${file} is a link, or was replaced while it was opened.`), { code: 'ELOOP' });
