import type { CopyGraph } from './copy-graph.ts';
import { licenseOf } from './explore.ts';
import type { AssembleRequest, PackageInput, Resolution } from './types.ts';

/** Name of the file, in the folder of the packages, that lists what a copy holds. */
export const copyLockName = 'copy.lock.json';

/** Returns the text of the lock file: each package with its origin, and the sources that lead to it. */
export function writeCopyLock({ packages, resolutions, entries }: AssembleRequest, graph: CopyGraph): Buffer {
  const listed = packages.flatMap((input) => {
    const path = graph.packagePaths.get(input.key);
    return path === undefined ? [] : [packageEntry(input, path, graph, resolutions)];
  });
  const lock = { formatVersion: 1, modules: [...entries].sort(), packages: sorted(listed) };
  return Buffer.from(`${JSON.stringify(lock, null, 2)}\n`);
}

function packageEntry(
  { key, url, version, commit, files }: PackageInput,
  path: string,
  graph: CopyGraph,
  all: readonly Resolution[],
) {
  const part = graph.parts.find(({ base }) => base === path);
  const license = part && licenseOf(part.opened);
  const sources = all
    .filter((resolution) => resolution.package === key && part?.entries.has(resolution.sub))
    .map(({ source, version: constraint, sub }) => ({ source, ...(constraint !== undefined && { constraint }), sub }));
  return {
    path,
    url,
    ...(version !== undefined && { version }),
    ...(commit !== undefined && { commit }),
    digest: files.archiveDigest,
    ...(license !== undefined && { license }),
    sources: sorted(sources),
  };
}

/** Sorts by content, because the order of the input depends on the order of answers. */
const sorted = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, text: JSON.stringify(item) }))
    .sort((left, right) => (left.text < right.text ? -1 : left.text > right.text ? 1 : 0))
    .map(({ item }) => item);
