import { createHash } from 'node:crypto';
import fs from 'node:fs';

/** Hashed in about a millisecond, so that whatever else the thread does hardly waits. */
const sliceBytes = 256 << 10;

/**
 * Whether the archive at this place is there and has exactly this digest: read in slices, beside the other work of the
 * thread. `shouldStop` is asked before each slice; once it says so the answer is false and means nothing.
 */
export async function verifyArchiveInBreaks(file: string, digest: string, shouldStop: () => boolean): Promise<boolean> {
  const handle = await openArchive(file);
  if (handle === undefined) return false;
  try {
    const hash = createHash('sha256');
    const slice = Buffer.allocUnsafe(sliceBytes);
    for (;;) {
      if (shouldStop()) return false;
      const { bytesRead } = await handle.read(slice);
      if (bytesRead === 0) return `sha256:${hash.digest('hex')}` === digest;
      hash.update(slice.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
}

async function openArchive(file: string): Promise<fs.promises.FileHandle | undefined> {
  try {
    return await fs.promises.open(file, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
