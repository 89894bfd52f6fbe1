import { posix } from 'node:path';
import { faultOfName, faultOfNameBytes } from '#server/drivers/git/index';
import { configurationName, forbiddenPart, isVariablesFile, lockFileName } from '#server/drivers/scan/index';
import { collisionKey } from '#server/kernel/fold-name';
import { limits } from '#shared/limits';
import type { CopyPart } from './copy-graph.ts';
import { ModuleCallError } from './module-call-error.ts';
import type { LeftOutReason } from './types.ts';

type Sorted = { copied: string[]; leftOut: { path: string; reason: LeftOutReason }[] };

/** Sorts the paths of a part into those that a copy holds and the others. */
export function sortFiles(part: CopyPart): Sorted {
  const reached = new Set(part.folders.map(({ path }) => path));
  const sorted: Sorted = { copied: [], leftOut: [] };
  for (const path of part.opened.paths) {
    const reason = reasonAgainst(path, part, reached);
    if (reason === undefined) sorted.copied.push(path);
    else sorted.leftOut.push({ path, reason });
  }
  for (const { path } of part.opened.links.leftOut) sorted.leftOut.push({ path, reason: 'not_a_file' });
  sorted.leftOut.sort((left, right) => (left.path < right.path ? -1 : 1));
  return sorted;
}

const testFile = /\.(?:tftest|tofutest)\.(?:hcl|json)$/;

function reasonAgainst(path: string, part: CopyPart, reached: ReadonlySet<string>): LeftOutReason | undefined {
  const [folder, name] = [posix.dirname(path), posix.basename(path)];
  if (forbiddenPart(path) !== undefined) return 'forbidden_name';
  if (testFile.test(name)) return 'test_file';
  // The tool reads both files only beside the module that it runs.
  const isChosen = part.isRoot && part.entries.has(folder);
  if (name === lockFileName && !isChosen) return 'lock_file';
  if (isVariablesFile(name) && !isChosen) return 'variables_file';
  return configurationName(name) && !reached.has(folder) ? 'not_called' : undefined;
}

/** Maximum length of a path in a synced repository, in characters. */
const maxPathLength = 1_024;

/** Throws `ModuleCallError` when a sync would refuse the paths of a copy. */
export function assertPaths(paths: readonly string[]): void {
  if (paths.length > limits.archiveFiles) {
    throw new ModuleCallError('tree_too_large', `The copy would hold more than ${limits.archiveFiles} files.`);
  }
  const names: Names = { files: new Set(paths), spelled: new Map() };
  if (names.files.size < paths.length) throw refused('one file twice');
  for (const path of paths) assertPath(path, names);
}

/** `spelled` maps what file systems compare to the path as written. */
type Names = { files: ReadonlySet<string>; spelled: Map<string, string> };

function assertPath(path: string, { files, spelled }: Names): void {
  const parts = path.split('/');
  if (path.length > maxPathLength || parts.length > limits.treeDepth) {
    throw new ModuleCallError('tree_too_large', 'The copy would hold a path that is too long or too deep.');
  }
  parts.forEach((part, index) => {
    const at = parts.slice(0, index + 1).join('/');
    const fault = faultOfNameBytes(Buffer.from(part)) ?? faultOfName(part);
    if (fault !== undefined) throw refused(`a name that ${fault}`);
    const key = collisionKey(at);
    if ((spelled.get(key) ?? at) !== at) throw refused('two names that some systems take for one');
    if (at !== path && files.has(at)) throw refused('a file and a folder of one name');
    spelled.set(key, at);
  });
}

const refused = (what: string): ModuleCallError =>
  new ModuleCallError('tree_refused', `The copy is not made, because it would hold ${what}.`);
