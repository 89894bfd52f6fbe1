export type ArchiveErrorCode = 'archive_missing' | 'archive_corrupt' | 'archive_path_refused' | 'archive_too_large';

/** Why an archive could not be written, read or laid out: `message` is a sentence for a person. */
export class ArchiveError extends Error {
  readonly code: ArchiveErrorCode;

  constructor(code: ArchiveErrorCode, message: string) {
    super(message);
    this.name = 'ArchiveError';
    this.code = code;
  }
}
