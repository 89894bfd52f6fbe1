import { createHash } from 'node:crypto';
import { parseStrictJson } from '#shared/kernel/json';
import { limits } from '#shared/limits';
import { manifestPath } from '#shared/vendor';
import { damaged } from './git-error.ts';
import { mustRead } from './git-object.ts';
import type { ManifestStatus } from './git-types.ts';
import { readTree, type TreeReader } from './snapshot.ts';
import type { TreeEntry } from './tree.ts';

/** Containers around a scalar that a manifest may nest. */
const manifestDepth = 32;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What the repository manifest is at the root of a commit, whatever the Source path. Throws `GitError` for damage. */
export function readManifestStatus(trees: TreeReader, root: string): ManifestStatus {
  const entry = findManifest(trees, root);
  if (!entry) return { status: 'absent' };
  if (entry.kind !== 'file' && entry.kind !== 'executable') return { status: 'invalid', reason: 'not_regular_file' };
  const found = trees.objects.stat(entry.id);
  if (found?.type !== 'blob') throw damaged('the content of the repository manifest is missing');
  if (found.size > limits.manifestBytes) return { status: 'invalid', reason: 'too_large' };
  return judge(mustRead(trees.objects, entry.id, 'blob'));
}

/** The entry of the manifest, or the link or submodule that stands in its way. */
function findManifest(trees: TreeReader, root: string): TreeEntry | undefined {
  let id = root;
  let found: TreeEntry | undefined;
  for (const name of manifestPath.split('/')) {
    found = readTree(trees, id).find((entry) => entry.name === name);
    if (found?.kind !== 'tree') break;
    id = found.id;
  }
  const isWhole = found?.name === manifestPath.split('/').at(-1);
  return isWhole || found?.kind === 'symlink' || found?.kind === 'submodule' ? found : undefined;
}

function judge(bytes: Buffer): ManifestStatus {
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return { status: 'invalid', reason: 'invalid_utf8', digest };
  }
  return isJsonObject(text) ? { status: 'present', digest } : { status: 'invalid', reason: 'invalid_document', digest };
}

function isJsonObject(text: string): boolean {
  try {
    const document = parseStrictJson(text, { maxDepth: manifestDepth });
    return document !== null && typeof document === 'object' && !Array.isArray(document);
  } catch {
    return false;
  }
}
