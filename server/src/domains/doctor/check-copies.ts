import { readdirSync } from 'node:fs';
import path from 'node:path';
import { copyIdOfFolder, copyRepository, hasCommit } from '#server/domains/copies/index';
import { atMost, type Check, note, problem } from './finding.ts';

/** Checks that each installable copy has its repository, and each repository its copy. */
export const copiesCheck: Check = {
  name: 'copies',
  needs: ['tables'],
  examine({ gc, folders }) {
    const missing = gc
      .listMadeCopies()
      .filter(({ id, commit }) => commit !== null && !hasCommit(copyRepository(folders, id), commit))
      .map(({ id }) =>
        problem({
          subject: id,
          message: 'The content of this installable copy is missing.',
          remedy: 'Restore the folder copies from a backup, or delete the copy and create it again.',
        }),
      );
    const orphans = namesIn(folders.copies)
      .filter((name) => !gc.hasCopy(copyIdOfFolder(name) ?? ''))
      .map((name) =>
        note({
          subject: path.join(folders.copies, name),
          message: 'No installable copy names this repository.',
          remedy: 'No action needed: it is deleted after a day.',
        }),
      );
    return [
      ...atMost(missing, 'installable copies without their content'),
      ...atMost(orphans, 'repositories that no copy names'),
    ];
  },
};

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
