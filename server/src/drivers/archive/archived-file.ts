import { readArchive } from './read-archive.ts';

export type ArchivedFile = { kind: 'file'; bytes: Uint8Array } | { kind: 'folder' | 'absent' };

/**
 * Reads one file of an archive, or reports what exists at its path instead: an archive holds only files, so a folder
 * shows in the paths below it. The whole archive is read and compared with the digest. Synchronous: call it off the
 * server thread. Throws `ArchiveError`: missing, damaged, or another digest.
 */
export function readArchiveFile(request: { path: string; digest: string; name: string }): ArchivedFile {
  const { path, digest, name } = request;
  let result: ArchivedFile = { kind: 'absent' };
  const filter = (file: string): boolean => {
    if (name === '.' || file.startsWith(`${name}/`)) result = { kind: 'folder' };
    return file === name;
  };
  // A copy, so that the whole reading window does not stay in memory.
  for (const { bytes } of readArchive(path, { filter, digest }))
    result = { kind: 'file', bytes: Uint8Array.from(bytes) };
  return result;
}
