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

/** Reason that an archive was not read: it is missing, or it differs from the recorded one. */
export type ArchiveFault = 'archive_missing' | 'archive_corrupt';

/** Answer of a worker that could not do its work: a sentence for a person, and the fault of the archive if any. */
export type ArchiveFailure = { failure: string; archiveFault?: ArchiveFault };

/** Turns an error of work on an archive into an answer. `fallback` is the sentence for a thrown value without one. */
export function archiveFailureOf(error: unknown, fallback: string): ArchiveFailure {
  const failure = error instanceof Error ? error.message : fallback;
  if (!(error instanceof ArchiveError)) return { failure };
  return { failure, archiveFault: error.code === 'archive_missing' ? 'archive_missing' : 'archive_corrupt' };
}
