type ArchiveErrorCode = 'archive_missing' | 'archive_corrupt' | 'archive_path_refused' | 'archive_too_large';

/** Error of writing, reading or unpacking an archive; `message` is a sentence for a person. */
export class ArchiveError extends Error {
  readonly code: ArchiveErrorCode;

  constructor(code: ArchiveErrorCode, message: string) {
    super(message);
    this.name = 'ArchiveError';
    this.code = code;
  }
}
