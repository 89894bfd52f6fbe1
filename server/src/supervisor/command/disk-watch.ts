import { existsSync } from 'node:fs';
import type { Exceeded } from '../../os/allowances.ts';
import { fileSystemUsage, measureFolders } from '../../os/disk-usage.ts';

type DiskWatch = {
  /** Returns the exceeded limit, if detected. Call it about every half second. */
  check(): Promise<Exceeded | undefined>;
  /** Checks at the end of a command, when nothing grows any more. */
  checkFinal(): Promise<Exceeded | undefined>;
};

type DiskWatchOptions = {
  /** Folders that a command may write to; missing ones are ignored. */
  folders: readonly string[];
  diskBytes: number;
  reserveBytes: number;
  now?: () => number;
};

/** Milliseconds between counts without a sign of growth: other processes may free what a module writes. */
const restMs = 30_000;
/** Minimum rest after a count, as a multiple of its duration. */
const leastRest = 20;
/** Growth that triggers the first count, as a part of the limit. */
const firstPart = 16;

/**
 * Watches the bytes that a command writes. It reads the usage of the file system, which costs microseconds, and counts
 * the folders only when the usage has grown by as much as they may still take, so most commands are never counted. A
 * deleted file that a module holds open is in no folder; it is freed at the end of the command, and until then only the
 * reserve of free space limits it.
 */
export function watchDisk({ diskBytes, reserveBytes, ...options }: DiskWatchOptions): DiskWatch {
  const { now = () => performance.now() } = options;
  const folders = options.folders.filter((folder) => existsSync(folder));
  let counted = { at: now(), costMs: 0, usedBytes: fileSystemUsage(folders).usedBytes };
  let slackBytes = diskBytes / firstPart;
  // Reported once, so that a command that continues anyway is not counted repeatedly.
  let isOver = false;
  const count = async (usedBytes: number): Promise<Exceeded | undefined> => {
    const startedAt = now();
    const { bytes, isWhole } = await measureFolders(folders, diskBytes);
    // The unreadable part is estimated by the growth of the file system.
    const likely = isWhole ? bytes : bytes + Math.max(0, usedBytes - counted.usedBytes);
    counted = { at: now(), costMs: now() - startedAt, usedBytes: isWhole ? usedBytes : counted.usedBytes };
    slackBytes = diskBytes - likely;
    isOver = likely > diskBytes;
    return isOver ? 'disk' : undefined;
  };
  const checkNow = async (isLast: boolean): Promise<Exceeded | undefined> => {
    const { usedBytes, freeBytes } = fileSystemUsage(folders);
    if (freeBytes < reserveBytes) return 'reserve';
    if (isOver) return undefined;
    const restedMs = now() - counted.at;
    const isGrown = usedBytes - counted.usedBytes >= slackBytes;
    const isDue = isLast ? isGrown : (isGrown || restedMs >= restMs) && restedMs >= counted.costMs * leastRest;
    return isDue ? await count(usedBytes) : undefined;
  };
  return { check: () => checkNow(false), checkFinal: () => checkNow(true) };
}
