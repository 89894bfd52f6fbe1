import { closeSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { openPlain } from './open-plain.ts';

/**
 * Returns the bytes of a regular file that a module or a machine could have tampered with: never through a link, never
 * beyond `maxBytes`, and without waiting for the writer of a FIFO. Undefined when there is no such file.
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
 * Returns the bytes of a regular file that a person named, also behind a link; undefined for anything else and beyond
 * `maxBytes`. Throws the error of the system when it cannot be read.
 */
export function readNamedFile(file: string, maxBytes: number): Buffer | undefined {
  if (!statSync(file).isFile()) return undefined;
  const descriptor = openSync(file, 'r');
  try {
    return fstatSync(descriptor).size > maxBytes ? undefined : readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
