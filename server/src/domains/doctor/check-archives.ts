import { existsSync } from 'node:fs';
import path from 'node:path';
import { archivePath, listArchives, verifyArchive } from '#server/drivers/archive/index';
import { isPackageWhole, listBrokenViews, listStored } from '#server/drivers/tofu/index';
import { atMost, type Check, type Finding, note, problem } from './finding.ts';

/** Checks the files of snapshots: present as long as something needs them, with the recorded digest. */
export const archivesCheck: Check = {
  name: 'archives',
  needs: ['tables'],
  async examine({ gc, clock, folders }) {
    const remedy = 'Sync the Source again to write the files again.';
    const known = new Set<string>();
    const missing: Finding[] = [];
    for (const { id, archiveDigest } of gc.listSnapshots()) {
      known.add(archiveDigest);
      if (existsSync(archivePath(folders.archives, archiveDigest))) continue;
      // Only a file that a retention rule keeps must exist, and that may have changed since the list was read.
      if (!gc.listNeededSnapshots(clock.now()).has(id)) continue;
      missing.push(problem({ subject: id, message: 'The files of this snapshot are needed and missing.', remedy }));
    }
    const altered: Finding[] = [];
    const orphans: Finding[] = [];
    for await (const { path: subject, digest } of listArchives(folders.archives)) {
      if (!verifyArchive(subject, digest) && existsSync(subject)) {
        const message = 'This archive does not match its recorded digest, so it is not planned or applied.';
        altered.push(problem({ subject, message, remedy: `${remedy} Find out who could write to the data folder.` }));
      } else if (!known.has(digest)) {
        const message = 'No snapshot names this archive.';
        orphans.push(note({ subject, message, remedy: 'No action needed: it is deleted after a day.' }));
      }
    }
    return [
      ...atMost(missing, 'snapshots without their files'),
      ...atMost(altered, 'archives that were altered'),
      ...atMost(orphans, 'archives that no snapshot names'),
    ];
  },
};

/** Checks that every package in the provider store is unchanged. */
export const providersCheck: Check = {
  name: 'providers',
  needs: [],
  examine({ folders: { providers } }) {
    const remedy = 'Remove that folder: the next init fetches the package again. Find out who could write to it.';
    const message = 'The files of this provider package were altered; the tool refuses them.';
    const altered = listStored(providers)
      .filter((item) => !isPackageWhole(providers, item))
      .map((item) => problem({ subject: path.join(providers, item.path), message, remedy }));
    const broken = listBrokenViews(providers).map((subject) =>
      note({
        subject,
        message: 'A provider package of this view is missing.',
        remedy: 'No action needed: the next init creates another view.',
      }),
    );
    return [...atMost(altered, 'packages that were altered'), ...atMost(broken, 'views with missing packages')];
  },
};
