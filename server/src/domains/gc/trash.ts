import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, renameSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { removeTreeInBreaks } from '#server/kernel/remove-tree';

/** Trash folder: an item is checked and moved here in one turn of the event loop, and deleted later, because deleting takes time. */
export type Trash = {
  /** Moves an item into the trash, in one step. False when it does not exist any more. */
  take(target: string): boolean;
  /** The same, unless the moved item is not the one that was checked: then it is restored. */
  takeIf(target: string, isStillIt: (changedAt: number) => boolean): boolean;
  /** Deletes everything in the trash, also from an interrupted sweep. Returns the bytes freed. */
  empty(isEnded: () => boolean): Promise<number>;
};

const trashFolder = 'bin';

/** Opens the trash. While `isHeld` answers true it takes nothing. */
export function openTrash(dataDir: string, isHeld: () => boolean = () => false): Trash {
  const folder = path.join(dataDir, trashFolder);

  function move(target: string): string | undefined {
    if (isHeld()) return undefined;
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
      // A worker has just written it again; when the worker has also written it once more since, this copy is not needed.
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
