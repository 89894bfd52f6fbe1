import { unlinkSync } from 'node:fs';
import { removeTree } from '#server/kernel/remove-tree';
import { iterateFolders } from '../../os/disk-usage.ts';
import type { LaunchContext } from '../launch-context.ts';
import { removeStamp } from '../workspace/init-stamp.ts';

/**
 * Takes back what a plan or init has written that was ended for its disk, or the next one would begin where it stopped:
 * what every Run makes anew as a whole, and of the tree the files that were changed since (`sinceMs`, epoch), because what
 * an earlier apply has put there is part of the world. A change time cannot be forged. False when something is left.
 */
export function removeGrowth({ job, layout }: Pick<LaunchContext, 'job' | 'layout'>, sinceMs: number): boolean {
  const { data, home, tmp, state, tree } = layout.host;
  let isGone = true;
  const tryTo = (remove: () => void): void => {
    try {
      remove();
    } catch {
      isGone = false;
    }
  };
  removeStamp(job);
  for (const folder of [data, home, tmp, state]) tryTo(() => removeTree(folder));
  const isNew = (changedMs: number): boolean => changedMs >= sinceMs - clockMs;
  const onHidden = (): void => {
    isGone = false;
  };
  for (const { file, stat } of iterateFolders([tree], onHidden)) {
    if (!stat.isDirectory() && isNew(stat.ctimeMs)) tryTo(() => unlinkSync(file));
  }
  return isGone;
}

/** The clock of file systems goes in ticks. */
const clockMs = 20;
