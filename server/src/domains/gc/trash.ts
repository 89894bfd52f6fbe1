import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, renameSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { removeTreeInBreaks } from '#server/kernel/remove-tree';

/** Where things go before they are gone: what is judged and taken in one turn is out of everybody's way at once, and takes its time to be removed. */
export type Trash = {
  /** Moves something into the bin, in one step. False when it was not there any more. */
  take(target: string): boolean;
  /** The same, unless what was taken is not what was judged: then it is put back. */
  takeIf(target: string, isStillIt: (changedAt: number) => boolean): boolean;
  /** Removes what lies in the bin, also from a sweep that was cut off. Answers the bytes that came free. */
  empty(isEnded: () => boolean): Promise<number>;
};

export const trashFolder = 'bin';

export function openTrash(dataDir: string): Trash {
  const folder = path.join(dataDir, trashFolder);

  function move(target: string): string | undefined {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const trashedPath = path.join(folder, randomUUID());
    try {
      renameSync(target, trashedPath);
      return trashedPath;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  return {
    take: (target) => move(target) !== undefined,
    takeIf(target, isStillIt) {
      const trashedPath = move(target);
      if (trashedPath === undefined) return false;
      if (isStillIt(lstatSync(trashedPath).mtimeMs)) return true;
      // A worker has just written it anew; when it has meanwhile written it once more, this one is not missed.
      renameSync(trashedPath, target);
      return false;
    },
    async empty(isEnded) {
      let freed = 0;
      for (const name of await list(folder)) freed += await removeTreeInBreaks(path.join(folder, name), isEnded);
      return freed;
    },
  };
}

async function list(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}
