import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { syncFolder } from '../kernel/disk.ts';
import { type CommandError, failed } from './exit-codes.ts';

export const fileExists = (file: string): CommandError =>
  failed('file_exists', `${file} exists already. Name a new file.`);

/** Throws when a file exists, because a command never replaces what may be the only copy, or when it has no folder. */
export function requireNewFile(file: string): void {
  if (existsSync(file)) throw fileExists(file);
  if (!existsSync(path.dirname(path.resolve(file))))
    throw failed('not_found', `The folder of ${file} does not exist. Create it, or name another file.`);
}

/** Writes a new file that only its owner can read. It replaces no file, which may be the only copy. */
export function writePrivateFile(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600, flush: true });
    syncFolder(path.dirname(path.resolve(file)));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw fileExists(file);
    throw failed('not_written', `${file} cannot be written (${code}). Name a file in a folder that you may write to.`);
  }
}
