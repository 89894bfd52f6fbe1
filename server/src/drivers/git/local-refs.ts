import fs from 'node:fs';
import path from 'node:path';
import { isGitRef } from '#shared/sources/git-address';
import { type ObjectReader, peelToCommit } from './git-object.ts';
import { type ListedRef, namesOf } from './ref-list.ts';

const idPattern = /^[0-9a-f]{40}$/;
const maxSymbolicSteps = 5;

/**
 * Reads the refs of a repository on disk: loose files first, then `packed-refs` (gitrepository-layout). isomorphic-git is
 * not asked here: it takes `refs/tags/refs/heads/a` for `refs/heads/a` when that is missing, and reads `packed-refs`
 * again for every ref.
 */
export function localRefs(gitDir: string, objects: ObjectReader) {
  const packed = readPackedRefs(gitDir);
  /** One ref by its full name, or undefined when it is missing or names a branch without commits. */
  const find = (name: string): ListedRef | undefined => {
    const found = follow(gitDir, packed, name);
    if (!found) return undefined;
    const peeled = peelToCommit(objects, found.id);
    const symref = found.name !== name && { symref: found.name };
    return { name, id: found.id, ...(peeled && peeled !== found.id && { peeled }), ...symref };
  };
  return {
    /** The refs a short name can mean, the one that counts first. */
    candidates: (ref: string): ListedRef[] => namesOf(ref).flatMap((name) => find(name) ?? []),
    tags: (): ListedRef[] => namesBelow(gitDir, packed, 'refs/tags').flatMap((name) => find(name) ?? []),
    isEmpty: (): boolean => namesBelow(gitDir, packed, 'refs').length === 0 && find('HEAD') === undefined,
  };
}

function follow(
  gitDir: string,
  packed: ReadonlyMap<string, string>,
  name: string,
): { name: string; id: string } | undefined {
  let at = name;
  for (let step = 0; step <= maxSymbolicSteps; step += 1) {
    if (!isGitRef(at)) return undefined;
    const text = readLoose(gitDir, at) ?? packed.get(at) ?? '';
    if (idPattern.test(text)) return { name: at, id: text };
    const target = /^ref: (refs\/\S+)$/.exec(text)?.[1];
    if (!target) return undefined;
    at = target;
  }
  return undefined;
}

/** Absent, a folder (`refs/heads/a` beside `refs/heads/a/b`), or below a file: all mean that there is no such ref. */
const absent = new Set(['ENOENT', 'EISDIR', 'ENOTDIR']);

function readLoose(gitDir: string, name: string): string | undefined {
  try {
    return fs.readFileSync(path.join(gitDir, name), 'utf8').trim();
  } catch (error) {
    if (absent.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

function readPackedRefs(gitDir: string): Map<string, string> {
  const lines = (readLoose(gitDir, 'packed-refs') ?? '').split('\n');
  return new Map(
    lines.flatMap((line) => {
      const [, id, name] = /^([0-9a-f]{40}) (\S+)$/.exec(line) ?? [];
      return id && name ? [[name, id] as const] : [];
    }),
  );
}

function namesBelow(gitDir: string, packed: ReadonlyMap<string, string>, folder: string): string[] {
  const root = path.join(gitDir, folder);
  const found = fs.existsSync(root) ? fs.readdirSync(root, { recursive: true, withFileTypes: true }) : [];
  const loose = found
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(gitDir, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'));
  const below = [...packed.keys()].filter((name) => name.startsWith(`${folder}/`));
  return [...new Set([...loose, ...below])].sort();
}
