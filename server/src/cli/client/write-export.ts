import fs from 'node:fs';
import path from 'node:path';
import type { ExportLine } from '#shared/exports/contract';
import { isRelativePath } from '#shared/relative-path';
import { failed } from '../exit-codes.ts';
import { writeNewFolder } from './new-folder.ts';

/** Writes an export into a new folder, whose files are private. Returns the number of files. */
export const writeExport = (dir: string, lines: AsyncIterable<ExportLine>): Promise<number> =>
  writeNewFolder(dir, (folder) => writeFiles(folder, lines));

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
