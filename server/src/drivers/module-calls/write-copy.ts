import { type CommitFile, type CommitInput, createRepositoryWriter } from '#server/drivers/git/index';
import type { Parser } from '#server/drivers/scan/index';
import { assemble } from './assemble.ts';
import type { AssembleRequest, LeftOutPath } from './types.ts';

/** `repository` is the folder of a bare repository, created when it is missing; its `main` becomes the copy. */
export type WriteCopyRequest = AssembleRequest & { repository: string; commit: CommitInput };

export type WrittenCopy = {
  commit: string;
  fileCount: number;
  sizeBytes: number;
  /** Folder of each package by its key, of those that a call reaches. */
  packagePaths: ReadonlyMap<string, string>;
  leftOut: LeftOutPath[];
  rewritten: string[];
};

/**
 * Assembles a copy and commits it. The same inputs and commit texts give the same commit id. Throws `ModuleCallError`,
 * and the errors of the archives and of the file system; `main` is then unchanged.
 */
export async function writeCopy(request: WriteCopyRequest, parse: Parser): Promise<WrittenCopy> {
  const { files, ...assembled } = await assemble(request, parse);
  const writer = createRepositoryWriter(request.repository);
  const entries: CommitFile[] = [];
  let sizeBytes = 0;
  for (const { path, executable, bytes } of files()) {
    entries.push({ path, executable, id: writer.writeBlob(bytes) });
    sizeBytes += bytes.length;
  }
  return { commit: writer.commit(entries, request.commit), fileCount: entries.length, sizeBytes, ...assembled };
}
