import { existsSync } from 'node:fs';
import type { Exceeded } from '../../os/allowances.ts';
import { fileSystemUsage, measureFolders } from '../../os/disk-usage.ts';

export type DiskWatch = {
  /** To be asked every half second or so. What is exceeded now, as far as it is known. */
  check(): Promise<Exceeded | undefined>;
  /** The same at the end of a command, when nothing grows any more. */
  checkFinal(): Promise<Exceeded | undefined>;
};

export type DiskWatchOptions = {
  /** What a command may write to; those that do not exist are left out. */
  folders: readonly string[];
  diskBytes: number;
  reserveBytes: number;
  now?: () => number;
};

/** Without a sign that anything has grown, folders are counted this seldom: others may free what a module takes. */
const restMs = 30_000;
/** Counting takes at most this part of the time. */
const leastRest = 20;
/** Before the first count, so much growth is worth one: a part of the allowance. */
const firstPart = 16;

/**
 * Keeps an eye on what a command writes. What its file system has in use is asked for, which costs microseconds, and the
 * folders are counted only when that has grown by as much as they may still take: so most commands never pay for a count.
 * What a module deletes while it holds it open is in no folder; it ends with the command, and until then the reserve of
 * free room is what stops it.
 */
export function watchDisk({ diskBytes, reserveBytes, ...options }: DiskWatchOptions): DiskWatch {
  const { now = () => performance.now() } = options;
  const folders = options.folders.filter((folder) => existsSync(folder));
  let counted = { at: now(), costMs: 0, usedBytes: fileSystemUsage(folders).usedBytes };
  let slackBytes = diskBytes / firstPart;
  // Said once: a command that goes on all the same is not counted again and again.
  let isOver = false;
  const count = async (usedBytes: number): Promise<Exceeded | undefined> => {
    const startedAt = now();
    const { bytes, isWhole } = await measureFolders(folders, diskBytes);
    // What could not be looked into is taken for what the file system has grown by.
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
