import fs from 'node:fs';
import path from 'node:path';
import { removeTree } from '#server/kernel/remove-tree';
import { steersTool } from './tree-names.ts';

/**
 * Paths are bytes here: a module can write names that are not UTF-8, and a name that changes when decoded cannot be
 * removed. Bytes are compared as Latin-1 text, which maps each to one character.
 */
const bytesOf = (text: string): Buffer => Buffer.from(text, 'utf8');
const slash = Buffer.from('/');

/** Returns the key of a path relative to the tree, as `sweep` expects it in `keep`. */
export const pathKey = (relative: string): string => bytesOf(relative).toString('latin1');

/**
 * Removes from a tree everything that would influence the tool's next command and is not in `keep`, at any path. Links
 * to folders outside the tree are removed too, because configuration behind them cannot be checked. Other files stay.
 */
export function sweep(treeDir: string, keep: ReadonlySet<string>): void {
  const root = fs.realpathSync.native(treeDir);
  const retainedFolders = foldersOf(keep);
  const pending: { folder: Buffer; prefix: string }[] = [{ folder: bytesOf(treeDir), prefix: '' }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    for (const entry of list(next.folder)) {
      const name = entry.name.toString('latin1');
      const full = Buffer.concat([next.folder, slash, entry.name]);
      const key = next.prefix + name;
      if (!keep.has(key) && steersTool(name) && !retainedFolders.has(key)) removeFrom(next.folder, full);
      else if (entry.isDirectory()) pending.push({ folder: full, prefix: `${key}/` });
      else if (entry.isSymbolicLink() && leadsOut(full, root)) removeFrom(next.folder, full);
    }
  }
}

/** Removes an entry. A command may have removed the permissions of its folder. */
function removeFrom(folder: Buffer, full: Buffer): void {
  try {
    removeTree(full);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    fs.chmodSync(folder, 0o700);
    removeTree(full);
  }
}

/** Returns the folders of kept files. A folder of the archive may have such a name (`x.tf/`); then its files decide. */
function foldersOf(keep: ReadonlySet<string>): Set<string> {
  const folders = new Set<string>();
  for (const key of keep) {
    for (let end = key.lastIndexOf('/'); end > 0; end = key.lastIndexOf('/', end - 1)) {
      if (folders.has(key.slice(0, end))) break;
      folders.add(key.slice(0, end));
    }
  }
  return folders;
}

function list(folder: Buffer): fs.Dirent<Buffer>[] {
  const read = () => fs.readdirSync(folder, { withFileTypes: true, encoding: 'buffer' });
  try {
    return read();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // No path of the archive is this long, so nothing there is ever loaded.
    if (code === 'ENAMETOOLONG' || code === 'ENOENT') return [];
    if (code !== 'EACCES') throw error;
    fs.chmodSync(folder, 0o700);
    return read();
  }
}

function leadsOut(link: Buffer, root: string): boolean {
  try {
    const target = fs.realpathSync.native(link);
    const outside = target !== root && !target.startsWith(root + path.sep);
    return outside && fs.statSync(link).isDirectory();
  } catch {
    return false;
  }
}
