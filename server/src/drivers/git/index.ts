export { createGit, type Git, type GitSyncOptions } from './git.ts';
export { GitError, type GitErrorCode } from './git-error.ts';
export type {
  GitAccess,
  GitCredential,
  GitRemoteRequest,
  GitSyncRequest,
  GitSyncResult,
  GitTag,
  KnownCommit,
  LeftOut,
  ResolvedRef,
} from './git-types.ts';
