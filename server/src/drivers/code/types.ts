import type { ArchivedFile, ArchiveFailure } from '#server/drivers/archive/index';
import type { CodeDifference } from '#shared/sources/code';

/** An archive by its path and recorded digest. */
export type ArchiveAt = { path: string; digest: string };

/** One file of an archive. */
export type FileRequest = ArchiveAt & { name: string };
/** Lines `from` to `to` of a text file, counted from 1. */
export type LinesRequest = FileRequest & { from: number; to: number };
/** The README of one folder of an archive, `.` for its root. */
export type ReadmeRequest = ArchiveAt & { folder: string };

/** `reserved` is a path whose text is never part of the answer. */
export type CompareRequest = { from: ArchiveAt; to: ArchiveAt; reserved?: string };

export type Failed = { kind: 'failed' } & ArchiveFailure;
export type FileResult = ArchivedFile | Failed;
/** `isCut` marks a line that is longer than the limit. */
export type CodeLine = { text: string; isCut?: true };
export type LinesResult =
  | { kind: 'lines'; lines: CodeLine[]; totalLines: number }
  | { kind: 'folder' | 'absent' | 'too_large' | 'not_text' }
  | Failed;
export type CompareResult = { kind: 'difference'; difference: CodeDifference } | Failed;
/** `text` is cut after a whole line when the file is larger than the limit. */
export type ReadmeResult =
  | { kind: 'readme'; path: string; text: string; sizeBytes: number; isCut?: true }
  | { kind: 'absent' }
  | Failed;
