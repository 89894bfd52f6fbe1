import { chmodSync, lstatSync, type Stats } from 'node:fs';
import path from 'node:path';
import { materialise } from '#server/drivers/archive/index';
import { makeFolder } from '#server/kernel/disk';
import { removeTree, removeTreeInBreaks } from '#server/kernel/remove-tree';
import type { Job } from '../../runner/contract/job.ts';

/** The folders of one build, below that of its Capsule so that what they take counts for it. */
export type Scratch = { tree: string; home: string; tmp: string };

const scratchFolder = (job: Pick<Job, 'capsuleDir'>): string => path.join(job.capsuleDir, 'build');

/** A copy of the whole snapshot that no other command sees, and empty folders for HOME and TMPDIR. Throws `ArchiveError`. */
export function makeScratch(job: Job): Scratch {
  const folder = scratchFolder(job);
  removeTree(folder);
  const scratch = { tree: path.join(folder, 'tree'), home: path.join(folder, 'home'), tmp: path.join(folder, 'tmp') };
  for (const each of Object.values(scratch)) makeFolder(each);
  materialise({ path: job.archive.path, dir: scratch.tree, digest: job.archive.digest });
  return scratch;
}

/** What a supervisor that was killed in the middle of a build has left. */
export function removeScratch(job: Pick<Job, 'capsuleDir'>): void {
  removeTree(scratchFolder(job));
}

/** Beside what comes after the build. What cannot be removed is met by the next Run. */
export const removeScratchLater = (job: Pick<Job, 'capsuleDir'>): Promise<void> =>
  removeTreeInBreaks(scratchFolder(job), () => false).then(
    () => {},
    () => {},
  );

/**
 * Whether the copy is still the folder that was laid out: without a sandbox a command can put anything in its place. A
 * right that was taken from it is given back.
 */
export function isTreeThere(tree: string): boolean {
  const stat = lstatSync(tree, { throwIfNoEntry: false });
  if (stat?.isDirectory() !== true) return false;
  if ((stat.mode & 0o700) !== 0o700) chmodSync(tree, 0o700);
  return true;
}

/** What lies at a place below `root`; undefined for nothing, and where nobody may look. */
export function statBelow(root: string, relative: string): Stats | undefined {
  try {
    return lstatSync(path.join(root, relative));
  } catch {
    return undefined;
  }
}

/** The name of the first folder on the way to a place below `root` that is none, or is a link; undefined when all are folders. */
export function findBrokenStep(root: string, relative: string): string | undefined {
  const parts = relative === '.' ? [] : relative.split('/');
  for (let count = 1; count <= parts.length; count += 1) {
    const step = parts.slice(0, count).join('/');
    if (statBelow(root, step)?.isDirectory() !== true) return step;
  }
  return undefined;
}
