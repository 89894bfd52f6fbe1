import { existsSync, renameSync, rmSync } from 'node:fs';
import { createRepositoryWriter } from './repository-writer.ts';

/** Files by their path, with forward slashes. */
export type RepositoryFiles = ReadonlyMap<string, Buffer>;
type NewCommit = { message: string; author: string; email: string; at: Date };

/**
 * Writes a bare repository with one commit on `main`, unless the folder exists. The same files and commit always have
 * the same id.
 */
export function writeRepository(
  folder: string,
  files: RepositoryFiles,
  { author, email, at, message }: NewCommit,
): void {
  if (existsSync(folder)) return;
  const partial = `${folder}.partial-${process.pid}`;
  rmSync(partial, { recursive: true, force: true });
  const writer = createRepositoryWriter(partial);
  const entries = [...files].map(([name, bytes]) => ({ path: name, executable: false, id: writer.writeBlob(bytes) }));
  const person = { name: author, email, at };
  writer.commit(entries, { message, author: person, committer: person });
  renameSync(partial, folder);
}
