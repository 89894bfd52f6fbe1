/**
 * Reasons that a package cannot be resolved or fetched. `address_*` and `constraint_*` come from the module call,
 * `registry_*` from the registry, `package_*` from the bytes; the others from the network and the disk.
 */
export type PackageErrorCode =
  | 'address_invalid'
  | 'address_not_supported'
  | 'address_not_allowed'
  | 'constraint_invalid'
  | 'constraint_not_allowed'
  | 'registry_invalid'
  | 'module_not_found'
  | 'version_not_found'
  | 'ref_not_found'
  | 'package_not_found'
  | 'package_refused'
  | 'package_too_large'
  | 'package_changed'
  | 'folder_not_found'
  | 'credential_required'
  | 'credential_refused'
  | 'unreachable'
  | 'tls_failed'
  | 'timed_out'
  | 'disk_full';

/** Failure of a package, with a sentence for a person that holds no credential. */
export class PackageError extends Error {
  readonly code: PackageErrorCode;

  constructor(code: PackageErrorCode, message: string) {
    super(message);
    this.name = 'PackageError';
    this.code = code;
  }
}

/** Creates the error for a package that holds something unsafe or unsupported. */
export const refused = (message: string): PackageError => new PackageError('package_refused', message);
/** Creates the error for a package over one of the limits. */
export const tooLarge = (message: string): PackageError => new PackageError('package_too_large', message);
