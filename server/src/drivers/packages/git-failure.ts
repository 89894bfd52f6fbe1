import { GitError, type GitErrorCode } from '#server/drivers/git/index';
import { PackageError, type PackageErrorCode } from './package-error.ts';

const codes = {
  source_auth_failed: 'credential_required',
  source_empty: 'ref_not_found',
  source_fetch_refused: 'package_refused',
  source_not_git: 'package_not_found',
  source_path_not_found: 'folder_not_found',
  source_ref_not_found: 'ref_not_found',
  source_sync_failed: 'unreachable',
  source_timed_out: 'timed_out',
  source_tls_failed: 'tls_failed',
  source_too_large: 'package_too_large',
  source_unreachable: 'unreachable',
  disk_full: 'disk_full',
} as const satisfies Partial<Record<GitErrorCode, PackageErrorCode>>;

/** Converts a failure of the Git driver; any other error is returned unchanged. */
export function asPackageError(error: unknown): unknown {
  if (!(error instanceof GitError)) return error;
  const known: Partial<Record<GitErrorCode, PackageErrorCode>> = codes;
  return new PackageError(known[error.code] ?? 'unreachable', error.message);
}
