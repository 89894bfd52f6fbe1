import path from 'node:path';
import { runIdOfFolder } from '#server/domains/execution/index';
import { isSupervised } from '#server/runner/index';
import { changedAt, listNames, listNamesNow } from './folder-facts.ts';
import { type Fate, fateOfRun, fateOfUnknown, isEvidence, type RunFacts } from './retention.ts';
import type { SweepContext, SweepPart } from './sweep-parts.ts';

/** Folders of Runs that have ended and whose plan cannot be applied any more; states of a failed apply are kept longer. */
export const runFolders: SweepPart = {
  name: 'runFolders',
  async sweep(context) {
    for (const name of await listNames(context.folders.runs)) {
      await context.breathe();
      judge(name, context);
    }
  },
};

function judge(name: string, context: SweepContext): void {
  const folder = path.join(context.folders.runs, name);
  const run = context.store.findRun(runIdOfFolder(name));
  const fate = fateOf(folder, run, context);
  if (fate === 'keep' || isSupervised(folder)) return;
  const taken = fate === 'remove' ? context.trash.take(folder) : thin(folder, run, context);
  if (taken) context.count();
}

function fateOf(folder: string, run: RunFacts | undefined, { clock, periods }: SweepContext): Fate {
  if (run !== undefined) return fateOfRun(run, clock.now(), periods);
  const at = changedAt(folder);
  return at === undefined ? 'keep' : fateOfUnknown(at, clock.now(), periods);
}

/** Removes everything but the states that exist nowhere else; without such states the folder itself. */
function thin(folder: string, run: RunFacts | undefined, { trash }: SweepContext): boolean {
  const names = listNamesNow(folder);
  const isRetained = (name: string) => isEvidence(name, run);
  if (!names.some((name) => isRetained(name) && name.endsWith('.tfstate'))) return trash.take(folder);
  const gone = names.filter((name) => !isRetained(name));
  return gone.filter((name) => trash.take(path.join(folder, name))).length > 0;
}
