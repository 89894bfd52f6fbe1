export { ArchiveError, type ArchiveFailure, type ArchiveFault, archiveFailureOf } from './archive-error.ts';
export { archivePath, assertInnerPath } from './archive-path.ts';
export { type ArchivedFile, readArchiveFile } from './archived-file.ts';
export { extractArchive } from './extract.ts';
export { type ArchiveFile, listArchives } from './list-archives.ts';
export { readArchive, verifyArchive } from './read-archive.ts';
export { blockBytes, decodeBlock, decodePaxPath, encodeHeader, endOfTar, paddingAfter, type TarHeader } from './tar.ts';
export { verifyArchiveInBreaks } from './verify-archive.ts';
export { type ArchiveInput, type WrittenArchive, writeArchive } from './write-archive.ts';
