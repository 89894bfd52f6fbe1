import { createHash } from 'node:crypto';
import { type FileHandle, open as openFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { syncFolders } from '#server/kernel/disk';
import { failpoint } from '#server/kernel/failpoints';
import { BackupError } from './backup-error.ts';

type Chunks = AsyncIterable<Uint8Array>;
/** Digest and size of a written file. */
export type WrittenFile = { digest: string; sizeBytes: number };

/**
 * Writes a stream to a file of mode 0600 that appears completely or not at all: `<file>.partial`, fsync, rename, fsync of
 * the folder. A killed write leaves the partial file, which the next one replaces. Nothing appears when `check` throws.
 * `open` starts the stream when the file can be written, so that no stream is left without a reader.
 */
export async function writeWholeFile(
  file: string,
  open: () => Chunks | Promise<Chunks>,
  check: (written: WrittenFile) => void = () => {},
): Promise<WrittenFile> {
  const partial = `${file}.partial`;
  await rm(partial, { force: true });
  const handle = await openFile(partial, 'wx', 0o600);
  try {
    const written = await copyTo(handle, await open());
    check(written);
    await handle.sync();
    failpoint('backup.written');
    await requireOwn(handle, partial);
    await rename(partial, file);
    failpoint('backup.renamed');
    await syncFolders([path.dirname(path.resolve(file))]);
    return written;
  } catch (error) {
    if (await isOwn(handle, partial)) await rm(partial, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

async function copyTo(handle: FileHandle, chunks: Chunks): Promise<WrittenFile> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    await handle.appendFile(chunk);
    sizeBytes += chunk.length;
  }
  return { digest: `sha256:${hash.digest('hex')}`, sizeBytes };
}

/** Another process that writes the same file replaces the partial file. */
async function requireOwn(handle: FileHandle, partial: string): Promise<void> {
  if (await isOwn(handle, partial)) return;
  throw new BackupError('backup_member_changed', 'Another process writes the same backup file. Choose another name.');
}

async function isOwn(handle: FileHandle, partial: string): Promise<boolean> {
  const [written, named] = await Promise.all([handle.stat(), stat(partial).catch(() => undefined)]);
  return named?.ino === written.ino && named.dev === written.dev;
}
