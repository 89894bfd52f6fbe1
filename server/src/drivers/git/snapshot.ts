import { isUtf8 } from 'node:buffer';
import { limits } from '#shared/limits';
import { damaged, GitError, refused, tooLarge } from './git-error.ts';
import { formatOf, idBytes, mustRead, type ObjectReader } from './git-object.ts';
import type { LeftOut } from './git-types.ts';
import { parseTree, type TreeEntry } from './tree.ts';

/** A regular file of the snapshot; `path` is relative to the Source path, `size` in bytes. */
export type SnapshotFile = { path: string; executable: boolean; id: string; size: number };
type Snapshot = { files: SnapshotFile[]; leftOut: LeftOut[] };

/** Reads trees of one repository and counts entries, so that a small repository cannot cause endless work. */
export type TreeReader = { objects: ObjectReader; entriesRead: number; check: () => void };

/** Maximum path length of the rest of the product, in characters. */
const maxPathLength = 1_024;

export function readTree(trees: TreeReader, id: string): TreeEntry[] {
  trees.check();
  const entries = parseTree(mustRead(trees.objects, id, 'tree'), idBytes(formatOf(id)));
  trees.entriesRead += entries.length;
  if (trees.entriesRead > limits.treeEntries) {
    throw tooLarge(`The repository has more than ${limits.treeEntries} files and folders below the source path.`);
  }
  return entries;
}

/** Returns the tree at a relative path, or throws `source_path_not_found`. */
function treeAt(trees: TreeReader, root: string, path: string): { id: string; depth: number } {
  if (path === '.') return { id: root, depth: 0 };
  let id = root;
  const names = path.split('/');
  for (const name of names) {
    const entry = readTree(trees, id).find((candidate) => candidate.name === name);
    if (entry?.kind !== 'tree') {
      const what = entry ? `is a ${entry.kind === 'executable' ? 'file' : entry.kind}, not a folder` : 'is not there';
      throw new GitError(
        'source_path_not_found',
        `The path ${path} does not lead to a folder: "${name}" ${what} at this commit.`,
      );
    }
    id = entry.id;
  }
  return { id, depth: names.length };
}

type Traversal = Snapshot & { trees: TreeReader; bytes: number; linkTargets: boolean };

/**
 * Lists the regular files of a subtree. Sizes and counts are checked against the limits here, before any content is
 * inflated. Throws `GitError`.
 */
export function listSnapshot(trees: TreeReader, root: string, path: string, linkTargets = false): Snapshot {
  const traversal: Traversal = { trees, files: [], leftOut: [], bytes: 0, linkTargets };
  const start = treeAt(trees, root, path);
  visit(traversal, start.id, '', start.depth + 1);
  return { files: traversal.files, leftOut: traversal.leftOut };
}

function visit(traversal: Traversal, id: string, prefix: string, depth: number): void {
  if (depth > limits.treeDepth) throw tooLarge(`The repository nests folders deeper than ${limits.treeDepth} levels.`);
  for (const entry of readTree(traversal.trees, id)) {
    const path = `${prefix}${entry.name ?? entry.shown}`;
    if (path.length > maxPathLength) throw refused('The repository holds a path longer than 1,024 characters.');
    if (entry.name === undefined) traversal.leftOut.push({ path, kind: 'name_not_utf8' });
    else if (entry.kind === 'submodule') traversal.leftOut.push({ path, kind: entry.kind });
    else if (entry.kind === 'symlink') traversal.leftOut.push(leftOutLink(traversal, entry, path));
    else if (entry.kind === 'tree') visit(traversal, entry.id, `${path}/`, depth + 1);
    else addFile(traversal, entry, path);
  }
}

/** Longest target of a link, as on Linux. */
const maxTargetBytes = 4_096;

function leftOutLink({ trees, linkTargets }: Traversal, { id }: TreeEntry, path: string): LeftOut {
  const link = { path, kind: 'symlink' } as const;
  if (!linkTargets || (trees.objects.stat(id)?.size ?? 0) > maxTargetBytes) return link;
  const bytes = mustRead(trees.objects, id, 'blob');
  return isUtf8(bytes) && !bytes.includes(0) ? { ...link, target: bytes.toString() } : link;
}

function addFile(traversal: Traversal, entry: TreeEntry, path: string): void {
  const stat = traversal.trees.objects.stat(entry.id);
  if (!stat) throw damaged(`the content of "${path}" is missing`);
  if (stat.type !== 'blob') throw damaged(`"${path}" is a ${stat.type} where a file belongs`);
  if (stat.size > limits.blobBytes) throw tooLarge(`The file "${path}" is over ${limits.blobBytes >> 20} MiB.`);
  traversal.bytes += stat.size;
  if (traversal.bytes > limits.archiveBytes) {
    throw tooLarge(
      `The files below the source path are over ${limits.archiveBytes >> 20} MiB together. Choose a smaller path.`,
    );
  }
  traversal.files.push({ path, executable: entry.kind === 'executable', id: entry.id, size: stat.size });
  if (traversal.files.length > limits.archiveFiles) {
    throw tooLarge(`There are more than ${limits.archiveFiles} files below the source path. Choose a smaller path.`);
  }
}
