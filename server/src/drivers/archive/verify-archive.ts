import { createHash } from 'node:crypto';
import fs from 'node:fs';

/** Hashed in about a millisecond, so that other work of the thread hardly waits. */
const sliceBytes = 256 << 10;

/**
 * Reports whether the archive at this path exists and has exactly this digest. It reads in slices, so that other work
 * of the thread continues. `shouldStop` is called before each slice; when it returns true, the result is false and
 * meaningless.
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
