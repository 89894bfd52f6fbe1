import { existsSync } from 'node:fs';
import { type CommandError, failed } from './exit-codes.ts';

export const fileExists = (file: string): CommandError =>
  failed('file_exists', `${file} exists already. Name a new file.`);

/** Throws when a file exists: a command never replaces one, because it may be the only copy. */
export function requireNewFile(file: string): void {
  if (existsSync(file)) throw fileExists(file);
}
