import { existsSync, readdirSync, renameSync, rmdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { failed } from './exit-codes.ts';

/** Codes of the system for a path that has content, or is not a folder. */
const filledCodes = ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'];

/**
 * Throws `data_folder_not_empty` for a folder that a promotion cannot replace: one with content, a file, or the root of
 * a mounted file system.
 */
export function checkUnused(dataDir: string): void {
  if (!existsSync(dataDir)) return;
  const folder = statSync(dataDir);
  const refused = (reason: string) => failed('data_folder_not_empty', `${dataDir} ${reason}`);
  if (!folder.isDirectory()) throw refused('is a file. Name a new data folder.');
  if (readdirSync(dataDir).length > 0) throw refused('is not empty. Name a new data folder.');
  if (folder.dev !== statSync(path.dirname(dataDir)).dev)
    throw refused('is the root of a mounted file system, which cannot be replaced. Name a new folder in it.');
}

/**
 * Makes a promoted folder the data folder. Throws `data_folder_not_empty` for one that was filled since the promotion
 * began, and leaves both as they are.
 */
export function movePromoted(staged: string, dataDir: string): void {
  try {
    if (existsSync(dataDir)) rmdirSync(dataDir);
    renameSync(staged, dataDir);
  } catch (error) {
    if (!filledCodes.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    throw failed(
      'data_folder_not_empty',
      `${dataDir} was filled during the promotion and is left as it is. The promoted ledger is in ${staged}. Move the content of ${dataDir} elsewhere, then repeat the same command.`,
    );
  }
}
