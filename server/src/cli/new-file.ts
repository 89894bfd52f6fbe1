import { existsSync } from 'node:fs';
import path from 'node:path';
import { type CommandError, failed } from './exit-codes.ts';

export const fileExists = (file: string): CommandError =>
  failed('file_exists', `${file} exists already. Name a new file.`);

/** Throws when a file exists, because a command never replaces what may be the only copy, or when it has no folder. */
export function requireNewFile(file: string): void {
  if (existsSync(file)) throw fileExists(file);
  if (!existsSync(path.dirname(path.resolve(file))))
    throw failed('not_found', `The folder of ${file} does not exist. Create it, or name another file.`);
}
