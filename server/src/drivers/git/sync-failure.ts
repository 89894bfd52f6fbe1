import { ArchiveError } from '#server/drivers/archive/index';
import { isDiskFault } from '#server/kernel/disk';
import { GitError, type GitErrorCode } from './git-error.ts';

const forbidden = new Set(['EACCES', 'EPERM']);

/** Converts any error of Git work for a person: a code and a sentence, without paths of this machine. */
export function asFailure(error: unknown): { code: GitErrorCode; message: string } {
  if (error instanceof GitError) return { code: error.code, message: error.message };
  if (error instanceof ArchiveError) {
    const code = error.code === 'archive_too_large' ? 'source_too_large' : 'source_fetch_refused';
    return { code, message: error.message };
  }
  const code = String((error as NodeJS.ErrnoException)?.code ?? '');
  if (isDiskFault(error)) {
    return { code: 'disk_full', message: 'The disk is full or read-only. Free some space, then sync again.' };
  }
  if (forbidden.has(code)) {
    return {
      code: 'source_unreachable',
      message: `The repository or the data folder may not be read or written (${code}).`,
    };
  }
  return {
    code: 'source_sync_failed',
    message: `The sync failed for an unforeseen reason (${code || (error as Error)?.name}).`,
  };
}
