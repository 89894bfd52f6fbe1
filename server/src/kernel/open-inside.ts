import { closeSync, fstatSync, lstatSync, readlinkSync, readSync, realpathSync, type Stats } from 'node:fs';
import path from 'node:path';
import { isSameFile, openPlain } from './open-plain.ts';

/** An open regular file. The caller closes the descriptor. */
export type OpenFile = { descriptor: number; stat: Stats };

/**
 * Opens a regular file of a folder that a module may change at the same time: never a file elsewhere through a link,
 * whether the file or a folder above it was replaced, and never a pipe. Returns undefined for anything else.
 */
export function openInside(
  folder: string,
  relative: string,
  platform: NodeJS.Platform = process.platform,
): OpenFile | undefined {
  const file = path.join(folder, relative);
  let descriptor: number;
  try {
    descriptor = openPlain(file, platform);
  } catch {
    return undefined;
  }
  try {
    const stat = fstatSync(descriptor);
    if (stat.isFile() && openedPath(descriptor, file, platform) === path.join(realpathSync(folder), relative))
      return { descriptor, stat };
  } catch {
    // The file or its folder was removed.
  }
  closeSync(descriptor);
  return undefined;
}

/**
 * Returns the path that a descriptor was opened at. Where the system does not say it: the path of today, if the file
 * there is the open one, else an empty text.
 */
function openedPath(descriptor: number, file: string, platform: NodeJS.Platform): string {
  if (platform === 'linux') return readlinkSync(`/proc/self/fd/${descriptor}`);
  const today = realpathSync(file);
  const isOpen = isSameFile(lstatSync(today, { bigint: true }), fstatSync(descriptor, { bigint: true }));
  return isOpen ? today : '';
}

const pieceBytes = 1 << 20;

/** Yields at most this many bytes of an open file. Each piece is overwritten by the next one. */
export function* readPieces(descriptor: number, maxBytes: number): Generator<Buffer, void, void> {
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(pieceBytes, maxBytes)));
  for (let left = maxBytes; left > 0; ) {
    const count = readSync(descriptor, buffer, 0, Math.min(buffer.length, left), null);
    if (count === 0) return;
    left -= count;
    yield buffer.subarray(0, count);
  }
}
