import { type Dirent, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { faultFields, type Log } from '#server/kernel/log';
import { removeTree } from '#server/kernel/remove-tree';
import type { Folders } from '../runner/index.ts';

/** Age from which folders of Runs and archives that nothing has used since are deleted. */
const runMaxAgeMs = 7 * 86_400_000;
const archiveMaxAgeMs = 14 * 86_400_000;
const everyMs = 12 * 3_600_000;

type Deps = {
  folders: Pick<Folders, 'runs' | 'archives'>;
  /** Reports whether this machine holds a job. */
  isHeld: (jobId: string) => boolean;
  now: number;
};

/**
 * Deletes what no job of this machine needs: folders of plans that were fetched for their applies, folders of jobs whose
 * tickets are void, and archives. What is needed again is fetched again.
 */
export function deleteLeftoverFiles({ folders, isHeld, now }: Deps): void {
  for (const { name } of entriesOf(folders.runs)) {
    const folder = path.join(folders.runs, name);
    if (!isHeld(name) && ageOf(folder, now) > runMaxAgeMs) removeTree(folder);
  }
  for (const entry of entriesOf(folders.archives, true)) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile() && ageOf(file, now) > archiveMaxAgeMs) rmSync(file, { force: true });
  }
}

/** Deletes leftover files at once and then twice a day, until the signal aborts. */
export function deleteLeftoversRegularly(
  { log, ...deps }: Omit<Deps, 'now'> & { log: Log },
  signal: AbortSignal,
): void {
  const deleteNow = (): void => {
    try {
      deleteLeftoverFiles({ ...deps, now: Date.now() });
    } catch (error) {
      log.warn(faultFields(error), 'leftover files of earlier Runs could not be deleted');
    }
  };
  deleteNow();
  const timer = setInterval(deleteNow, everyMs).unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}

/** Notes that a file or folder was used, which keeps it from being deleted. */
export function noteUse(file: string): void {
  const now = new Date();
  utimesSync(file, now, now);
}

const ageOf = (file: string, now: number): number => now - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now);

function entriesOf(folder: string, recursive = false): Dirent[] {
  try {
    return readdirSync(folder, { recursive, withFileTypes: true });
  } catch {
    return [];
  }
}
