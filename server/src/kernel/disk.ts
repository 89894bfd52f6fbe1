import { statfsSync } from 'node:fs';

/** Below this an apply is not begun: its state has to find room, whatever else happens. */
export const leastFreeBytes = 67_108_864;

/** Bytes that may still be written to the file system of a folder. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
