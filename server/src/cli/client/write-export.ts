import fs from 'node:fs';
import path from 'node:path';
import type { ExportLine } from '#shared/exports/contract';
import { isRelativePath } from '#shared/relative-path';
import { removeTree } from '../../kernel/remove-tree.ts';
import { failed, wrongUse } from '../exit-codes.ts';

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
 * Writes an export under a temporary name beside the folder, and renames it when it is complete: after a kill the folder
 * is as it was. Files are private. Leftovers of killed exports to the same folder are removed. Returns the number of files.
 */
export async function writeExport(dir: string, lines: AsyncIterable<ExportLine>): Promise<number> {
  requireEmptyFolder(dir);
  removeLeftovers(dir);
  const temporary = temporaryName(dir, process.pid);
  fs.mkdirSync(temporary, { mode: 0o700 });
  try {
    const count = await writeFiles(temporary, lines);
    requireEmptyFolder(dir);
    if (process.platform === 'win32') fs.rmSync(dir, { recursive: true, force: true });
    // Elsewhere a rename replaces an empty folder, and fails for one that is not empty any more.
    fs.renameSync(temporary, dir);
    return count;
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

async function writeFiles(folder: string, lines: AsyncIterable<ExportLine>): Promise<number> {
  let open: { fd: number; left: number } | undefined;
  let count = 0;
  let isComplete = false;
  try {
    for await (const line of lines) {
      if ('data' in line) {
        const bytes = Buffer.from(line.data, 'base64');
        if (!open || bytes.length > open.left) throw incomplete();
        fs.writeSync(open.fd, bytes);
        open.left -= bytes.length;
        continue;
      }
      open = endFile(open);
      if ('file' in line) {
        open = { fd: openFile(folder, line.file), left: line.file.sizeBytes };
        count += 1;
      } else isComplete = line.end.files === count;
    }
    if (!isComplete) throw incomplete();
    return count;
  } finally {
    if (open) fs.closeSync(open.fd);
  }
}

function endFile(file: { fd: number; left: number } | undefined): undefined {
  if (!file) return undefined;
  if (file.left !== 0) throw incomplete();
  fs.fsyncSync(file.fd);
  fs.closeSync(file.fd);
  return undefined;
}

function openFile(folder: string, file: { path: string; executable: boolean }): number {
  if (!isRelativePath(file.path)) throw incomplete();
  const target = path.join(folder, file.path);
  fs.mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 });
  return fs.openSync(target, 'wx', file.executable ? 0o700 : 0o600);
}

const incomplete = () => failed('export_incomplete', 'The export broke off, so nothing was written. Try again.');
