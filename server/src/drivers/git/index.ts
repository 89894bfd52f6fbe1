export { guardedLookup } from './connect-rules.ts';
export { createGit, type Git } from './git.ts';
export { GitError } from './git-error.ts';
export type { GitAccess, GitCredential, GitSyncRequest, GitSyncResult, GitTag } from './git-types.ts';
export { writeRepository } from './new-repository.ts';
