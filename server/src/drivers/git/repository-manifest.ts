import { judgeManifest, type ManifestFinding } from '#server/drivers/manifest/index';
import { limits } from '#shared/limits';
import { manifestPath } from '#shared/vendor';
import { damaged } from './git-error.ts';
import { mustRead } from './git-object.ts';
import { readTree, type TreeReader } from './snapshot.ts';
import type { TreeEntry } from './tree.ts';

/**
 * Reads the repository manifest at the root of a commit, independent of the Source path. Throws `GitError` for damage.
 */
export function findManifest(trees: TreeReader, root: string): ManifestFinding {
  const entry = findEntry(trees, root);
  if (!entry) return { status: 'absent' };
  if (entry.kind !== 'file' && entry.kind !== 'executable') return { status: 'invalid', reason: 'not_regular_file' };
  const stat = trees.objects.stat(entry.id);
  if (stat?.type !== 'blob') throw damaged('the content of the repository manifest is missing');
  if (stat.size > limits.manifestBytes) return { status: 'invalid', reason: 'too_large' };
  return judgeManifest(mustRead(trees.objects, entry.id, 'blob'));
}

/** Returns the entry of the manifest, or the link or submodule in its path. */
function findEntry(trees: TreeReader, root: string): TreeEntry | undefined {
  let id = root;
  let match: TreeEntry | undefined;
  for (const name of manifestPath.split('/')) {
    match = readTree(trees, id).find((entry) => entry.name === name);
    if (match?.kind !== 'tree') break;
    id = match.id;
  }
  const isWhole = match?.name === manifestPath.split('/').at(-1);
  return isWhole || match?.kind === 'symlink' || match?.kind === 'submodule' ? match : undefined;
}

const reasons = {
  not_regular_file: 'it is not a regular file',
  too_large: `it is larger than ${limits.manifestBytes} bytes`,
  invalid_utf8: 'it is not UTF-8 text',
  invalid_document: 'its content has mistakes',
} as const;

/** Returns the log lines of a sync for an unusable manifest: the reason, and each problem with its location. */
export function manifestLines(manifest: ManifestFinding): string[] {
  if (manifest.status !== 'invalid') return [];
  const problems = manifest.reason === 'invalid_document' ? manifest.problems : [];
  return [
    `The repository manifest is ignored: ${reasons[manifest.reason]}.`,
    ...problems.map(({ pointer, message }) => `${manifestPath} ${pointer || '/'}: ${message}`),
  ];
}
