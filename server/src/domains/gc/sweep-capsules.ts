import path from 'node:path';
import { findOccupant } from '#server/runner/index';
import { changedAt, listNames, listNamesNow } from './folder-facts.ts';
import { type Fate, fateOfUnknown } from './retention.ts';
import type { SweepContext, SweepPart } from './sweep-parts.ts';

/** Folders of destroyed Capsules: tree, data, home and tmp at once, the state file of their tool later. */
export const capsuleFolders: SweepPart = {
  name: 'capsuleFolders',
  async sweep(context) {
    for (const name of await listNames(context.folders.capsules)) {
      await context.breathe();
      judge(name, context);
    }
  },
};

const retainedName = 'state';

function judge(id: string, context: SweepContext): void {
  const { trash, count, folders, store } = context;
  const folder = path.join(folders.capsules, id);
  const fate = fateOf(id, folder, context);
  if (fate === 'keep' || store.isToolBusy(id) || isOccupied(folder)) return;
  const names = listNamesNow(folder);
  const isThin = fate === 'thin' && names.includes(retainedName);
  const gone = isThin ? names.filter((name) => name !== retainedName).map((name) => path.join(folder, name)) : [folder];
  if (gone.filter((target) => trash.take(target)).length > 0) count();
}

function fateOf(id: string, folder: string, { clock, periods, store }: SweepContext): Fate {
  const capsule = store.findCapsule(id);
  const now = clock.now();
  if (capsule === undefined) return fateOfUnknown(changedAt(folder) ?? now, now, periods);
  if (capsule.status !== 'destroyed' || now - capsule.updatedAt < periods.settledMs) return 'keep';
  return now - capsule.updatedAt < periods.evidenceMs ? 'thin' : 'remove';
}

function isOccupied(folder: string): boolean {
  const occupant = findOccupant(folder);
  return occupant !== undefined && (occupant.isSupervised || occupant.isToolAlive);
}
