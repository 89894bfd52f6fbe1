export { checkRedirect, guardedLookup } from './connect-rules.ts';
export { createGit, type Git } from './git.ts';
export { GitError, type GitErrorCode } from './git-error.ts';
export type { GitAccess, GitCredential, GitSyncRequest, GitSyncResult, GitTag } from './git-types.ts';
export { createHttpClient, type HttpClient } from './http-client.ts';
export { writeRepository } from './new-repository.ts';
export {
  type CommitFile,
  type CommitInput,
  createRepositoryWriter,
  type RepositoryWriter,
} from './repository-writer.ts';
export { faultOfName, faultOfNameBytes } from './tree-name.ts';
