import path from 'node:path';
import { backupFileOf } from '#server/domains/backups/index';
import { hasDigest, listFolder } from './files.ts';
import { atMost, type Check, type Finding, note, problem } from './finding.ts';

/** Compares the backups of Workspaces and Capsules with their archives in the data folder. */
export const backupsCheck: Check = {
  name: 'backups',
  needs: ['tables'],
  async examine({ store, folders: { dataDir } }) {
    const remedy = 'Put a copy of the archive back under its name, or delete the backup: groundctl backup delete ID.';
    const missing: Finding[] = [];
    const altered: Finding[] = [];
    const known = new Set<string>();
    for (const { id, digest } of store.listBackups()) {
      const file = backupFileOf(dataDir, id);
      known.add(path.basename(file));
      const state = await hasDigest(file, digest);
      if (state === 'absent')
        missing.push(note({ subject: id, message: 'The archive of this backup is not in the data folder.', remedy }));
      if (state === 'other')
        altered.push(
          problem({ subject: id, message: 'The archive of this backup was altered, so it is refused.', remedy }),
        );
    }
    const orphans = listFolder(path.dirname(backupFileOf(dataDir, 'any')))
      .filter((name) => name.endsWith('.age') && !known.has(name))
      .map((subject) =>
        note({
          subject,
          message: 'No backup names this archive.',
          remedy: 'Move it elsewhere to keep it: the next backup deletes it.',
        }),
      );
    return [
      ...atMost(missing, 'backups without an archive'),
      ...atMost(altered, 'altered archives of backups'),
      ...atMost(orphans, 'archives that no backup names'),
    ];
  },
};
