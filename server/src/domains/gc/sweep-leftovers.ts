import path from 'node:path';
import { changedAt, listNames } from './folder-facts.ts';
import type { SweepContext, SweepPart } from './sweep-parts.ts';

const unfinished = /^\..+\.tmp$|\.(?:new|tmp)$/;

/** In the folders of forms, where an operator may have other files. */
const unfinishedForm = /\.json\.tmp$/;

/** Temporary files that interrupted writes left beside their target. */
export const unfinishedFiles: SweepPart = {
  name: 'unfinishedFiles',
  async sweep(context) {
    const { dataDir, archives, git } = context.folders;
    const repositories = (await listNames(git)).map((name) => path.join(git, name));
    for (const folder of [dataDir, path.join(dataDir, 'keys'), archives, ...repositories])
      await sweepFolder(folder, unfinished, context);
    const forms = path.join(dataDir, 'forms');
    for (const folder of [forms, path.join(forms, 'native')]) await sweepFolder(folder, unfinishedForm, context);
  },
};

async function sweepFolder(folder: string, pattern: RegExp, context: SweepContext): Promise<void> {
  for (const name of await listNames(folder)) {
    await context.breathe();
    if (pattern.test(name)) takeOld(path.join(folder, name), context.periods.unknownMs, context);
  }
}

/** Fetched data of Sources that were deleted. Packs of other Sources are kept, because they make the next sync smaller. */
export const repositories: SweepPart = {
  name: 'repositories',
  async sweep(context) {
    const { git } = context.folders;
    for (const name of await listNames(git)) {
      await context.breathe();
      if (!context.store.hasSource(name)) takeOld(path.join(git, name), context.periods.unknownMs, context);
    }
  },
};

/** Copies of the ledger from before a migration; the newest is kept until there is a newer one. */
export const ledgerCopies: SweepPart = {
  name: 'ledgerCopies',
  async sweep(context) {
    const folder = path.join(context.folders.dataDir, 'ledger-copies');
    for (const name of (await listNames(folder)).slice(0, -1)) {
      await context.breathe();
      takeOld(path.join(folder, name), context.periods.evidenceMs, context);
    }
  },
};

function takeOld(target: string, ageMs: number, { trash, clock, count }: SweepContext): void {
  const at = changedAt(target);
  if (at !== undefined && clock.now() - at >= ageMs && trash.take(target)) count();
}
