import { GitError, refused } from './git-error.ts';
import type { ObjectFormat } from './git-object.ts';

/** A ref as a server or folder names it; `peeled` is what an annotated tag points at in the end. */
export type ListedRef = { name: string; id: string; peeled?: string; symref?: string };

const id = '([0-9a-f]{40}|[0-9a-f]{64})';
const v2Line = new RegExp(`^${id} (\\S+)((?: \\S+)*)$`);
const v0Line = new RegExp(`^${id} (\\S+)$`);

const notGit = () => new GitError('source_not_git', 'The server does not answer in the Git protocol.');

/** One line of `ls-refs` (gitprotocol-v2); undefined for a HEAD that names a branch without commits. */
export function parseRefLine(line: string): ListedRef | undefined {
  if (line.startsWith('unborn ')) return undefined;
  const [, oid, name, attributes = ''] = v2Line.exec(line) ?? [];
  if (!oid || !name) throw notGit();
  const ref: ListedRef = { name, id: oid };
  for (const attribute of attributes.split(' ')) {
    if (attribute.startsWith('peeled:')) ref.peeled = attribute.slice('peeled:'.length);
    if (attribute.startsWith('symref-target:')) ref.symref = attribute.slice('symref-target:'.length);
  }
  return ref;
}

/** Collects the refs of the older advertisement (gitprotocol-pack), where a peeled tag is a line of its own. */
export function collectAdvertisedRef(refs: Map<string, ListedRef>, line: string): void {
  const [, oid, name] = v0Line.exec(line) ?? [];
  if (!oid || !name) throw notGit();
  if (!name.endsWith('^{}')) {
    refs.set(name, { name, id: oid });
    return;
  }
  const tag = refs.get(name.slice(0, -3));
  if (tag) tag.peeled = oid;
}

/** The prefixes a server is asked for when one ref is looked for. */
export const prefixesOf = (ref: string): string[] =>
  ref === 'HEAD' ? ['HEAD'] : [`refs/heads/${ref}`, `refs/tags/${ref}`, ...(ref.startsWith('refs/') ? [ref] : [])];

/** A branch wins over a tag of the same name, as in `git clone --branch`; a full name means itself. */
export const pickRef = (refs: readonly ListedRef[], ref: string): ListedRef | undefined =>
  prefixesOf(ref)
    .map((name) => refs.find((listed) => listed.name === name))
    .find((listed) => listed !== undefined);

export function checkFormat(name: string | undefined): ObjectFormat {
  if (name === undefined || name === 'sha1') return 'sha1';
  if (name === 'sha256') return 'sha256';
  throw refused('The repository uses an unknown hash function for its objects, so it cannot be read.');
}

export const emptyRepository = () =>
  new GitError('source_empty', 'The repository has no commits yet. Push one, then sync again.');

export function unknownRef(ref: string): GitError {
  const sentence =
    ref === 'HEAD'
      ? 'The default branch of the repository (HEAD) has no commits. Name a branch or tag.'
      : `The repository has no branch or tag "${ref}". Check the name.`;
  return new GitError('source_ref_not_found', sentence);
}

export const unknownCommit = (commit: string) =>
  new GitError(
    'source_ref_not_found',
    `The Git server does not hand out commit ${commit}. Check the id, or name a branch or tag that points at it.`,
  );
