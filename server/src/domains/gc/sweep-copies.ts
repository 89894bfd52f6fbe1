import path from 'node:path';
import { copyIdOfFolder } from '#server/domains/copies/index';
import { changedAt, listNames } from './folder-facts.ts';
import type { SweepContext, SweepPart } from './sweep-parts.ts';

/** Repositories without a copy, and what revisions that have ended left. */
export const copyRepositories: SweepPart = {
  name: 'copies',
  async sweep(context) {
    const { folders, store, periods } = context;
    for (const name of await listNames(folders.copies)) {
      await context.breathe();
      const id = copyIdOfFolder(name);
      if (id === undefined || !store.hasCopy(id)) takeOld(path.join(folders.copies, name), periods.unknownMs, context);
    }
    for (const name of await listNames(folders.copyWork)) {
      await context.breathe();
      if (!store.hasOpenRevision(name)) takeOld(path.join(folders.copyWork, name), periods.unknownMs, context);
    }
  },
};

/** Fetched packages that no copy was made of for a while. Another fetch stores them again. */
export const modulePackages: SweepPart = {
  name: 'modulePackages',
  async sweep(context) {
    const { packages } = context.folders;
    for (const cache of await listNames(packages))
      for (const kind of ['archives', 'records'])
        for (const name of await listNames(path.join(packages, cache, kind))) {
          await context.breathe();
          // A revision that is prepared reads the archives it has fetched.
          if (context.store.isCopyPrepared()) return;
          takeOld(path.join(packages, cache, kind, name), context.periods.unusedMs, context);
        }
  },
};

function takeOld(target: string, ageMs: number, { trash, clock, count }: SweepContext): void {
  const at = changedAt(target);
  if (at !== undefined && clock.now() - at >= ageMs && trash.take(target)) count();
}
