import { existsSync, renameSync, rmdirSync } from 'node:fs';
import { failed } from './exit-codes.ts';

/** Codes of the system for a path that has content, or is not a folder. */
const filledCodes = ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'];

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
