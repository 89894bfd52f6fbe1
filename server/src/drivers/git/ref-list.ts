import type { ServerRef } from 'isomorphic-git';
import { GitError, refused } from './git-error.ts';
import type { ObjectFormat } from './git-object.ts';

/** A ref as a server or folder lists it; `peeled` is the final target of an annotated tag. */
export type ListedRef = { name: string; id: string; peeled?: string; symref?: string };

const idPattern = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Creates the error for bytes that are not a response of a Git server. */
export const notGit = () => new GitError('source_not_git', 'The server does not answer in the Git protocol.');

/**
 * Validates a ref that isomorphic-git read, because it accepts any text. Throws `source_not_git` for an invalid one.
 */
export function toListedRef({ ref: name, oid: id, peeled, target }: Partial<ServerRef>): ListedRef {
  if (!name || !id || ![id, peeled ?? id].every((each) => idPattern.test(each))) throw notGit();
  return { name, id, ...(peeled && { peeled }), ...(target && { symref: target }) };
}

/**
 * Returns the full names that one ref may mean, in order of precedence: a branch wins over a tag, as in `git clone
 * --branch`.
 */
export const namesOf = (ref: string): string[] =>
  ref === 'HEAD' ? ['HEAD'] : [`refs/heads/${ref}`, `refs/tags/${ref}`, ...(ref.startsWith('refs/') ? [ref] : [])];

export function checkFormat(name: string | true | undefined): ObjectFormat {
  if (name === undefined || name === 'sha1') return 'sha1';
  if (name === 'sha256') return 'sha256';
  throw refused('The repository uses an unknown hash function for its objects, so it cannot be read.');
}

export const emptyRepository = () =>
  new GitError('source_empty', 'The repository has no commits yet. Push one, then sync again.');

export function unknownRef(ref: string): GitError {
  const message =
    ref === 'HEAD'
      ? 'The default branch of the repository (HEAD) has no commits. Name a branch or tag.'
      : `The repository has no branch or tag "${ref}". Check the name.`;
  return new GitError('source_ref_not_found', message);
}

export const unknownCommit = (commit: string) =>
  new GitError(
    'source_ref_not_found',
    `The Git server does not hand out commit ${commit}. Check the id, or name a branch or tag that points at it.`,
  );
