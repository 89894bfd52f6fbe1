import { chmodSync, lstatSync, type Stats } from 'node:fs';
import path from 'node:path';
import { extractArchive } from '#server/drivers/archive/index';
import { makeFolder } from '#server/kernel/disk';
import { removeTree, removeTreeInBreaks } from '#server/kernel/remove-tree';
import type { ExecutionSpec } from '../../runner/contract/execution-spec.ts';

/** Folders of one build, below that of its Capsule so that their size counts towards its limit. */
export type Scratch = { tree: string; home: string; tmp: string };

const scratchFolder = (spec: Pick<ExecutionSpec, 'capsuleDir'>): string => path.join(spec.capsuleDir, 'build');

/** Creates a private copy of the whole snapshot, and empty folders for HOME and TMPDIR. Throws `ArchiveError`. */
export function makeScratch(spec: ExecutionSpec): Scratch {
  const folder = scratchFolder(spec);
  removeTree(folder);
  const scratch = { tree: path.join(folder, 'tree'), home: path.join(folder, 'home'), tmp: path.join(folder, 'tmp') };
  for (const each of Object.values(scratch)) makeFolder(each);
  extractArchive({ path: spec.archive.path, dir: scratch.tree, digest: spec.archive.digest });
  return scratch;
}

/** Removes leftover files of a supervisor that was killed during a build. */
export function removeScratch(spec: Pick<ExecutionSpec, 'capsuleDir'>): void {
  removeTree(scratchFolder(spec));
}

/** Removes the copy in the background. Files that cannot be removed are left to the next Run. */
export const removeScratchLater = (spec: Pick<ExecutionSpec, 'capsuleDir'>): Promise<void> =>
  removeTreeInBreaks(scratchFolder(spec), () => false).then(
    () => {},
    () => {},
  );

/** Reports whether the copy is still a folder: without a sandbox a command can replace it. Restores its access rights. */
export function isTreeThere(tree: string): boolean {
  const stat = lstatSync(tree, { throwIfNoEntry: false });
  if (stat?.isDirectory() !== true) return false;
  if ((stat.mode & 0o700) !== 0o700) chmodSync(tree, 0o700);
  return true;
}

/** Returns the stats of a path below `root`; undefined when it does not exist or is not accessible. */
export function statBelow(root: string, relative: string): Stats | undefined {
  try {
    return lstatSync(path.join(root, relative));
  } catch {
    return undefined;
  }
}

/** Returns the first part of a path below `root` that is not a folder, or is a link; undefined when all are folders. */
export function findBrokenStep(root: string, relative: string): string | undefined {
  const parts = relative === '.' ? [] : relative.split('/');
  for (let count = 1; count <= parts.length; count += 1) {
    const step = parts.slice(0, count).join('/');
    if (statBelow(root, step)?.isDirectory() !== true) return step;
  }
  return undefined;
}
