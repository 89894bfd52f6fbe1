import { createHash } from 'node:crypto';
import { readArchive } from '#server/drivers/archive/index';
import type { ChangedFile } from '#shared/sources/code';
import type { ArchiveAt } from './types.ts';

type FileFacts = { sizeBytes: number; executable: boolean; digest: string };
/** A file that differs, with what it is on each side. */
export type Difference = {
  path: string;
  change: ChangedFile['change'];
  renamedFrom?: string;
  before?: FileFacts;
  after?: FileFacts;
};

function listFiles({ path, digest }: ArchiveAt): Map<string, FileFacts> {
  const files = new Map<string, FileFacts>();
  for (const { path: name, executable, bytes } of readArchive(path, { digest }))
    files.set(name, {
      sizeBytes: bytes.length,
      executable,
      digest: createHash('sha256').update(bytes).digest('base64'),
    });
  return files;
}

const isSame = (left: FileFacts, right: FileFacts): boolean =>
  left.digest === right.digest && left.executable === right.executable;

/** Lists the files that differ between two archives, by path. Throws `ArchiveError`. */
export function listDifferences(from: ArchiveAt, to: ArchiveAt): Difference[] {
  if (from.digest === to.digest) return [];
  const [before, after] = [listFiles(from), listFiles(to)];
  const removed = [...before].filter(([path]) => !after.has(path));
  const added = [...after].filter(([path]) => !before.has(path));
  const changed = [...after].flatMap(([path, facts]): Difference[] => {
    const old = before.get(path);
    return old && !isSame(old, facts) ? [{ path, change: 'changed', before: old, after: facts }] : [];
  });
  return [...changed, ...withRenames(removed, added)].sort((a, b) => (a.path < b.path ? -1 : 1));
}

type Listed = readonly (readonly [string, FileFacts])[];

/** Joins a removed and an added file with the same content and mode; an empty file says too little to be joined. */
function withRenames(removed: Listed, added: Listed): Difference[] {
  const key = ({ digest, executable }: FileFacts): string => `${digest} ${executable}`;
  const candidates = Map.groupBy(removed, ([, facts]) => key(facts));
  const taken = new Set<string>();
  const present = added.map(([path, facts]): Difference => {
    const source = facts.sizeBytes === 0 ? undefined : candidates.get(key(facts))?.shift();
    if (source === undefined) return { path, change: 'added', after: facts };
    taken.add(source[0]);
    return { path, change: 'renamed', renamedFrom: source[0], before: source[1], after: facts };
  });
  const gone = removed.filter(([path]) => !taken.has(path));
  return [...present, ...gone.map(([path, facts]): Difference => ({ path, change: 'removed', before: facts }))];
}
