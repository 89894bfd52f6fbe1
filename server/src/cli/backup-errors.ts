import { ApiError } from '#shared/kernel/client';
import { BackupError } from '../drivers/backup-archive/index.ts';
import { KeySourceError } from '../drivers/vault/index.ts';
import { isDiskFault } from '../kernel/disk.ts';
import { failed } from './exit-codes.ts';
import { LineError } from './line-error.ts';

/** Runs work on a backup file; an expected error becomes one that a command prints. */
export async function sayBackupError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explained(error);
  }
}

function explained(error: unknown): unknown {
  if (error instanceof BackupError) return failed(error.code, error.message);
  if (error instanceof KeySourceError) return failed(error.reason, error.message);
  const { code, path } = (error ?? {}) as NodeJS.ErrnoException;
  if (isDiskFault(error))
    return failed(
      'disk_full',
      'The disk is failing or has too little free space. Backup and restore need twice the size of the ledger. Free some, then try again.',
    );
  if (code === 'EACCES' || code === 'EPERM')
    return failed(
      'not_permitted',
      `${path ?? 'A folder'} cannot be written or read. Choose another path, or change its owner.`,
    );
  if (code === 'ENOENT') return failed('not_found', `${path ?? 'A file'} does not exist. Check the path.`);
  if (error instanceof ApiError) return failed(error.code, error.message);
  if (error instanceof LineError)
    return failed('connection_lost', 'The connection to the server was lost, so no backup was written. Try again.');
  return error;
}
