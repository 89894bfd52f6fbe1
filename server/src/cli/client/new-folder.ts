import fs from 'node:fs';
import path from 'node:path';
import { removeTree } from '../../kernel/remove-tree.ts';
import { wrongUse } from '../exit-codes.ts';

/** Throws unless a folder is empty or does not exist, in a folder that exists. */
export function requireEmptyFolder(dir: string): void {
  const parent = path.dirname(dir);
  if (!fs.statSync(parent, { throwIfNoEntry: false })?.isDirectory())
    throw wrongUse('The folder to write to is in a folder that does not exist. Create that one first.');
  const stats = fs.lstatSync(dir, { throwIfNoEntry: false });
  if (!stats) return;
  if (!stats.isDirectory() || fs.readdirSync(dir).length > 0)
    throw wrongUse('The folder to write to is not empty. Name an empty folder or one that does not exist.');
}

/**
 * Fills a private folder under a temporary name beside its final one, and renames it when it is complete: after a kill
 * the final folder is as it was. Leftovers of killed commands for the same folder are removed.
 */
export async function writeNewFolder<T>(dir: string, fill: (folder: string) => Promise<T>): Promise<T> {
  requireEmptyFolder(dir);
  removeLeftovers(dir);
  const temporary = temporaryName(dir, process.pid);
  fs.mkdirSync(temporary, { mode: 0o700 });
  try {
    const result = await fill(temporary);
    requireEmptyFolder(dir);
    if (process.platform === 'win32') fs.rmSync(dir, { recursive: true, force: true });
    // Elsewhere a rename replaces an empty folder, and fails for one that is not empty any more.
    fs.renameSync(temporary, dir);
    return result;
  } catch (error) {
    removeTree(temporary);
    throw error;
  }
}

const temporaryName = (dir: string, pid: number): string =>
  path.join(path.dirname(dir), `.${path.basename(dir)}.export-${pid}`);

function removeLeftovers(dir: string): void {
  const prefix = `.${path.basename(dir)}.export-`;
  for (const name of fs.readdirSync(path.dirname(dir))) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : Number.NaN;
    if (Number.isSafeInteger(pid) && pid > 0 && !isAlive(pid)) removeTree(path.join(path.dirname(dir), name));
  }
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
