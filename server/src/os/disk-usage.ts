import { type Dir, lstatSync, opendirSync, type Stats, statfsSync, statSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';

export type DiskUsage = {
  /** Allocated, as far as it was counted: a file with holes takes what it takes, and each name a little. */
  bytes: number;
  /** False when the count was stopped at `maxBytes`, or something could not be looked into. */
  isWhole: boolean;
};

/** A name and an inode take room too, or a flood of empty files would be free. */
const entryBytes = 1_024;
const blockBytes = 512;
/** The streams of the tool are read between two slices. */
const sliceMs = 5;

/** A file or folder below some folder. Its name is bytes, because one that is no UTF-8 would be missed as text. */
export type FolderEntry = { file: Buffer<ArrayBuffer>; stat: Stats };

/**
 * Everything below some folders, one after the other: a folder may hold more names than fit into memory. Links are not
 * followed. `onHidden` is told of what could not be looked at or into, by its mode or by a path that is too long.
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
 * What lies below some folders; a file with several names counts once. Stops as soon as it is more than `maxBytes`.
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
    // The types know no names in bytes, which the function has had all along.
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

/** Bytes used on the file systems of some folders, each counted once, and the least that is left on one of them. */
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
