import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** An archive in a folder of archives. `changedAt` is the time of its last write, in epoch milliseconds. */
export type ArchiveFile = { path: string; digest: string; sizeBytes: number; changedAt: number };

const folderName = /^[0-9a-f]{2}$/;
const fileName = /^([0-9a-f]{64})\.tar$/;

/**
 * Lists the archives below a folder in the order of their names; other files are left out. Yields none when the folder
 * does not exist.
 */
export async function* listArchives(dir: string): AsyncGenerator<ArchiveFile, void, void> {
  for (const group of (await readdir(dir).catch(none)).sort()) {
    if (!folderName.test(group)) continue;
    for (const name of (await readdir(path.join(dir, group)).catch(none)).sort()) {
      const hex = fileName.exec(name)?.[1];
      const file = path.join(dir, group, name);
      const stats = hex?.startsWith(group) ? await stat(file).catch(() => undefined) : undefined;
      if (stats) yield { path: file, digest: `sha256:${hex}`, sizeBytes: stats.size, changedAt: stats.mtimeMs };
    }
  }
}

function none(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
  throw error;
}
