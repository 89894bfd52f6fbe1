import fs from 'node:fs';
import path from 'node:path';
import { steersTool } from './tree-names.ts';

/**
 * Paths are bytes here: a module can write names that are not UTF-8, and a name that changes when decoded is one that
 * cannot be removed. Bytes are compared as Latin-1 text, which maps each to one character.
 */
const bytesOf = (text: string): Buffer => Buffer.from(text, 'utf8');
const slash = Buffer.from('/');

/** Key of a path relative to the tree, as `sweep` expects it in `keep`. */
export const pathKey = (relative: string): string => bytesOf(relative).toString('latin1');

/**
 * Removes from a tree everything that would steer the tool's next command and is not in `keep`, wherever a command left
 * it. Links to folders outside the tree go too, because configuration behind them cannot be seen. Other files stay.
 */
export function sweep(treeDir: string, keep: ReadonlySet<string>): void {
  const root = fs.realpathSync.native(treeDir);
  const pending: { folder: Buffer; prefix: string }[] = [{ folder: bytesOf(treeDir), prefix: '' }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    for (const entry of list(next.folder)) {
      const name = entry.name.toString('latin1');
      const full = Buffer.concat([next.folder, slash, entry.name]);
      const key = next.prefix + name;
      if (!keep.has(key) && steersTool(name) && !hasKept(keep, key)) removeFrom(next.folder, full);
      else if (entry.isDirectory()) pending.push({ folder: full, prefix: `${key}/` });
      else if (entry.isSymbolicLink() && leadsOut(full, root)) removeFrom(next.folder, full);
    }
  }
}

/** Removes a file, a link (never its target) or a folder with everything in it, whatever modes a command left. */
export function remove(full: Buffer | string): void {
  const target = typeof full === 'string' ? bytesOf(full) : full;
  const stat = fs.lstatSync(target, { throwIfNoEntry: false });
  if (stat === undefined) return;
  if (!stat.isDirectory()) {
    fs.unlinkSync(target);
    return;
  }
  fs.chmodSync(target, 0o700);
  for (const entry of list(target)) remove(Buffer.concat([target, slash, entry.name]));
  fs.rmdirSync(target);
}

/** A command may have locked the folder it left something in. */
function removeFrom(folder: Buffer, full: Buffer): void {
  try {
    remove(full);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    fs.chmodSync(folder, 0o700);
    remove(full);
  }
}

/** A folder of the archive may carry such a name (`x.tf/`); then the files in it decide. */
const hasKept = (keep: ReadonlySet<string>, key: string): boolean => {
  const prefix = `${key}/`;
  for (const path of keep) if (path.startsWith(prefix)) return true;
  return false;
};

function list(folder: Buffer): fs.Dirent<Buffer>[] {
  const read = () => fs.readdirSync(folder, { withFileTypes: true, encoding: 'buffer' });
  try {
    return read();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // Nothing in the archive reaches a path this long, so nothing there is ever loaded.
    if (code === 'ENAMETOOLONG' || code === 'ENOENT') return [];
    if (code !== 'EACCES') throw error;
    fs.chmodSync(folder, 0o700);
    return read();
  }
}

function leadsOut(link: Buffer, root: string): boolean {
  try {
    const target = fs.realpathSync(link);
    const outside = target !== root && !target.startsWith(root + path.sep);
    return outside && fs.statSync(target).isDirectory();
  } catch {
    return false;
  }
}
