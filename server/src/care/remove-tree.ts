import { chmod, lstat, readdir, rmdir, unlink } from 'node:fs/promises';

const slash = Buffer.from('/');

/**
 * Removes a file, a link (never its target) or a folder with everything in it, and answers the bytes that came free.
 * Names are bytes, because a module can write some that are no text, and folders that it has locked are opened. `isEnded`
 * is asked between two files; true leaves the rest where it is. What is gone already is no error.
 */
export async function removeTree(target: string, isEnded: () => boolean): Promise<number> {
  return remove(Buffer.from(target), isEnded);
}

async function remove(target: Buffer, isEnded: () => boolean): Promise<number> {
  if (isEnded()) return 0;
  const stat = await lstat(target).catch(absent);
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) {
    await unlink(target).catch(absent);
    // A file with another name elsewhere frees nothing.
    return stat.nlink === 1 ? stat.size : 0;
  }
  if ((stat.mode & 0o700) !== 0o700) await chmod(target, 0o700);
  let freed = 0;
  for (const name of await readdir(target, { encoding: 'buffer' }))
    freed += await remove(Buffer.concat([target, slash, name]), isEnded);
  if (!isEnded()) await rmdir(target).catch(absent);
  return freed;
}

function absent(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  throw error;
}
