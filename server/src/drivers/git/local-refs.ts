import { isGitRef } from '#shared/sources/git-address';
import { bounds } from './bounds.ts';
import { tooLarge } from './git-error.ts';
import { type ObjectReader, peelToCommit } from './git-object.ts';
import type { LocalFiles } from './local-files.ts';
import { type ListedRef, namesOf } from './ref-list.ts';

const idPattern = /^[0-9a-f]{40}$/;
const maxSymbolicSteps = 5;

/**
 * Reads the refs of a repository on disk: loose files first, then `packed-refs` (gitrepository-layout). isomorphic-git
 * is not used here: it accepts `refs/tags/refs/heads/a` for `refs/heads/a` when that is missing, and reads
 * `packed-refs` again for every ref.
 */
export function localRefs(files: LocalFiles, objects: ObjectReader) {
  const packed = readPackedRefs(files);
  /** Finds one ref by its full name; undefined when it is missing or names a branch without commits. */
  const find = (name: string): ListedRef | undefined => {
    const target = follow(files, packed, name);
    if (!target) return undefined;
    const peeled = peelToCommit(objects, target.id);
    const symref = target.name !== name && { symref: target.name };
    return { name, id: target.id, ...(peeled && peeled !== target.id && { peeled }), ...symref };
  };
  return {
    /** Returns the refs that a short name can mean, in order of precedence. */
    candidates: (ref: string): ListedRef[] => namesOf(ref).flatMap((name) => find(name) ?? []),
    tags: (): ListedRef[] => namesBelow(files, packed, 'refs/tags').flatMap((name) => find(name) ?? []),
    isEmpty: (): boolean => namesBelow(files, packed, 'refs').length === 0 && find('HEAD') === undefined,
  };
}

function follow(
  files: LocalFiles,
  packed: ReadonlyMap<string, string>,
  name: string,
): { name: string; id: string } | undefined {
  let at = name;
  for (let step = 0; step <= maxSymbolicSteps; step += 1) {
    if (!isGitRef(at)) return undefined;
    const text = readLoose(files, at) ?? packed.get(at) ?? '';
    if (idPattern.test(text)) return { name: at, id: text };
    const target = /^ref: (refs\/\S+)$/.exec(text)?.[1];
    if (!target) return undefined;
    at = target;
  }
  return undefined;
}

const readLoose = (files: LocalFiles, name: string): string | undefined =>
  files.text(name, bounds.refFileBytes)?.trim();

function readPackedRefs(files: LocalFiles): Map<string, string> {
  const lines = (files.text('packed-refs', bounds.refListBytes) ?? '').split('\n');
  return new Map(
    lines.flatMap((line) => {
      const [, id, name] = /^([0-9a-f]{40}) (\S+)$/.exec(line) ?? [];
      return id && name ? [[name, id] as const] : [];
    }),
  );
}

function namesBelow(files: LocalFiles, packed: ReadonlyMap<string, string>, folder: string): string[] {
  const below = [...packed.keys()].filter((name) => name.startsWith(`${folder}/`));
  return [...new Set([...looseBelow(files, folder), ...below])].sort();
}

/** Lists the regular files below a folder; links are not followed. */
function looseBelow(files: LocalFiles, root: string): string[] {
  const names: string[] = [];
  const folders = [{ name: root, depth: 0 }];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const { name: folder, depth } = next;
    if (depth > bounds.refDepth) throw tooLarge('The repository nests its refs too deep.');
    for (const { name, isFile, isFolder } of files.list(folder, bounds.looseRefs)) {
      if (isFile) names.push(`${folder}/${name}`);
      if (isFolder) folders.push({ name: `${folder}/${name}`, depth: depth + 1 });
      if (names.length + folders.length > bounds.looseRefs) throw tooLarge('The repository has too many refs.');
    }
  }
  return names;
}
