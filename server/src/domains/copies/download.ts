import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { encodeHeader, endOfTar, paddingAfter } from '#server/drivers/archive/index';
import { failedPrecondition, notFound } from '#server/kernel/errors';
import type { BytesReply } from '#server/kernel/http/index';
import { type CopyFolders, copyRepository } from './folders.ts';
import { branchCommit } from './repository.ts';
import type { CopiesStore } from './store.ts';

/** Sends the repository of a copy as a tar archive of one folder, which Git clones from. */
export const createDownload =
  ({ store, folders }: { store: Pick<CopiesStore, 'findCopy'>; folders: CopyFolders }) =>
  (copyId: string): BytesReply => {
    const copy = store.findCopy(copyId);
    if (!copy) throw notFound('copy');
    const repository = copyRepository(folders, copyId);
    if (copy.currentRevisionId === null || branchCommit(repository) === undefined)
      throw failedPrecondition('copy_not_ready', 'The copy has no content yet. Approve its first revision.');
    const name = `${copyId}.git`;
    return {
      bytes: { contentType: 'application/octet-stream', name: `${name}.tar`, chunks: archiveFolder(repository, name) },
    };
  };

/** Objects are listed after the branch is read: an update that is published at the same time only adds objects. */
async function* archiveFolder(root: string, name: string): AsyncGenerator<Uint8Array> {
  const isObject = (file: string) => file.startsWith('objects/');
  for (const file of (await listFiles(root)).filter((one) => !isObject(one))) yield* memberOf(root, file, name);
  for (const file of (await listFiles(root)).filter(isObject)) yield* memberOf(root, file, name);
  yield endOfTar;
}

async function listFiles(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'));
}

async function* memberOf(root: string, file: string, name: string): AsyncGenerator<Uint8Array> {
  const bytes = await readFile(path.join(root, file));
  yield encodeHeader({ path: `${name}/${file}`, executable: false, size: bytes.length });
  yield bytes;
  yield Buffer.alloc(paddingAfter(bytes.length));
}
