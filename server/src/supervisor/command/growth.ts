import { unlinkSync } from 'node:fs';
import { removeTree } from '#server/kernel/remove-tree';
import { iterateFolders } from '../../os/disk-usage.ts';
import type { LaunchContext } from '../launch-context.ts';
import { removeStamp } from '../workspace/init-stamp.ts';

/**
 * Removes the data of a plan or init that was ended for its disk usage, otherwise the next one would start at the
 * limit: folders that every Run creates again, and files in the tree that were changed since `sinceMs` (epoch), because
 * files of an earlier apply are managed resources. A program cannot set a change time. Returns false when something is
 * left.
 */
export function removeGrowth({ spec, layout }: Pick<LaunchContext, 'spec' | 'layout'>, sinceMs: number): boolean {
  const { data, home, tmp, state, tree } = layout.host;
  let isGone = true;
  const tryTo = (remove: () => void): void => {
    try {
      remove();
    } catch {
      isGone = false;
    }
  };
  removeStamp(spec);
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

/** Resolution of file system timestamps. */
const clockMs = 20;
