import { type Dir, lstatSync, opendirSync, type Stats, statfsSync, statSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';

type DiskUsage = {
  /**
   * Allocated bytes, as far as they were counted: sparse files count only their allocated part, and each name counts a
   * little.
   */
  bytes: number;
  /** False when the count was stopped at `maxBytes`, or an entry could not be read. */
  isWhole: boolean;
};

/** Size counted for a name and an inode, so that a flood of empty files is limited too. */
const entryBytes = 1_024;
const blockBytes = 512;
/** Length of a slice; the streams of the tool are read between two slices. */
const sliceMs = 5;

/** A file or folder below some folder. Its name is bytes, because a name that is not UTF-8 would be missed as text. */
export type FolderEntry = { file: Buffer<ArrayBuffer>; stat: Stats };

/**
 * Yields everything below some folders, one entry at a time: a folder may hold more names than fit into memory. Links
 * are not followed. `onHidden` is called for an entry that cannot be read, because of its mode or a path that is too
 * long.
 */
export function* iterateFolders(
  folders: readonly string[],
  onHidden: (hidden: Buffer) => void,
): Generator<FolderEntry> {
  const waiting = folders.map((folder) => Buffer.from(folder));
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const file of namesIn(folder, onHidden)) {
      const stat = statOf(file, onHidden);
      if (stat === undefined) continue;
      if (stat.isDirectory()) waiting.push(file);
      yield { file, stat };
    }
  }
}

/**
 * Measures the contents of some folders; a file with several names counts once. Stops as soon as the total exceeds
 * `maxBytes`.
 */
export async function measureFolders(folders: readonly string[], maxBytes: number): Promise<DiskUsage> {
  const usage: DiskUsage = { bytes: 0, isWhole: true };
  const linked = new Set<string>();
  let sliceEnd = performance.now() + sliceMs;
  const onHidden = (): void => {
    usage.isWhole = false;
  };
  for (const { stat } of iterateFolders(folders, onHidden)) {
    usage.bytes += entryBytes + (isCounted(stat, linked) ? 0 : stat.blocks * blockBytes);
    if (usage.bytes > maxBytes) return { ...usage, isWhole: false };
    if (performance.now() < sliceEnd) continue;
    await turn();
    sliceEnd = performance.now() + sliceMs;
  }
  return usage;
}

const slash = Buffer.from('/');

function* namesIn(folder: Buffer, onHidden: (hidden: Buffer) => void): Generator<Buffer<ArrayBuffer>> {
  let dir: Dir;
  try {
    // The types do not declare names as bytes, which the function supports.
    dir = opendirSync(folder as unknown as string, { encoding: 'buffer' as BufferEncoding, bufferSize: 256 });
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) onHidden(folder);
    return;
  }
  try {
    for (let entry = dir.readSync(); entry !== null; entry = dir.readSync())
      yield Buffer.concat([folder, slash, entry.name as unknown as Buffer]);
  } finally {
    dir.closeSync();
  }
}

function statOf(file: Buffer, onHidden: (hidden: Buffer) => void): Stats | undefined {
  try {
    return lstatSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') onHidden(file);
    return undefined;
  }
}

function isCounted(stat: Stats, linked: Set<string>): boolean {
  if (stat.nlink < 2 || stat.isDirectory()) return false;
  const inode = `${stat.dev}-${stat.ino}`;
  const isKnown = linked.has(inode);
  linked.add(inode);
  return isKnown;
}

/**
 * Returns the bytes used on the file systems of some folders, each counted once, and the least free space of one of
 * them.
 */
export function fileSystemUsage(folders: readonly string[]): { usedBytes: number; freeBytes: number } {
  const seen = new Map<number, { usedBytes: number; freeBytes: number }>();
  for (const folder of folders) {
    const { dev } = statSync(folder);
    if (seen.has(dev)) continue;
    const { blocks, bfree, bavail, bsize } = statfsSync(folder);
    seen.set(dev, { usedBytes: (blocks - bfree) * bsize, freeBytes: bavail * bsize });
  }
  const all = [...seen.values()];
  return {
    usedBytes: all.reduce((sum, { usedBytes }) => sum + usedBytes, 0),
    freeBytes: Math.min(...all.map(({ freeBytes }) => freeBytes)),
  };
}
