/**
 * `backup_missing`: the file cannot be opened. `backup_key_refused`: the key or passphrase does not open it.
 * `backup_damaged`: truncated, changed, or not written by this format. `backup_version_unknown`: of a newer version.
 * `backup_path_refused`: a member would leave its folder. `backup_too_large`: over a limit. `backup_recipient_invalid`:
 * the key to encrypt for is malformed. `backup_member_changed`: a file changed while it was copied.
 * `backup_of_workspace`: the backup of a Workspace or Capsule, where one of an installation is needed.
 */
export type BackupErrorCode =
  | 'backup_missing'
  | 'backup_key_refused'
  | 'backup_damaged'
  | 'backup_version_unknown'
  | 'backup_path_refused'
  | 'backup_too_large'
  | 'backup_recipient_invalid'
  | 'backup_member_changed'
  | 'backup_of_workspace';

/** Error of writing or reading a backup; `message` is a sentence for a person. */
export class BackupError extends Error {
  readonly code: BackupErrorCode;

  constructor(code: BackupErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BackupError';
    this.code = code;
  }
}

export const damaged = (cause?: unknown): BackupError =>
  new BackupError(
    'backup_damaged',
    'The backup is damaged or incomplete, so nothing of it is used. Use another copy.',
    cause === undefined ? {} : { cause },
  );

/** Returns a `BackupError` as it is, an error of the file system too, and any other one as damage. */
export function asBackupError(error: unknown): unknown {
  if (error instanceof BackupError) return error;
  const { syscall, code } = (error ?? {}) as { syscall?: unknown; code?: unknown };
  return typeof syscall === 'string' && typeof code === 'string' ? error : damaged(error);
}
