import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { makeFolder } from '#server/kernel/disk';
import { requireSpaceForCopy } from '#server/kernel/ledger-copy';
import { removeTree } from '#server/kernel/remove-tree';

const folderOf = (dataDir: string): string => path.join(dataDir, 'backups');

/** Returns the path of the archive of a backup. */
export const backupFileOf = (dataDir: string, id: string): string => path.join(folderOf(dataDir), `${id}.age`);

/** Files of backups in the data folder: archives, and a folder for the copy of the ledger while one is made. */
export function createBackupFiles(dataDir: string) {
  const folder = folderOf(dataDir);
  const work = path.join(folder, 'work');
  const fileOf = (id: string): string => backupFileOf(dataDir, id);
  return {
    fileOf,
    /** Path for the copy of the ledger, in a new folder. Throws the error of a full disk when there is no space. */
    newCopy(): string {
      removeTree(work);
      requireSpaceForCopy(dataDir);
      makeFolder(folder);
      makeFolder(work);
      return path.join(work, 'ledger.db');
    },
    removeCopy: (): void => removeTree(work),
    removeFile: (id: string): void => rmSync(fileOf(id), { force: true }),
    /** Removes everything but the archives of these backups: what a crash left. */
    removeOthers(ids: readonly string[]): void {
      makeFolder(folder);
      const known = new Set(ids.map((id) => path.basename(fileOf(id))));
      for (const name of readdirSync(folder)) if (!known.has(name)) removeTree(path.join(folder, name));
    },
  };
}
export type BackupFiles = ReturnType<typeof createBackupFiles>;
