import type { GitErrorCode } from './git-error.ts';
import type {
  GitAccess,
  GitFile,
  GitRemoteRequest,
  GitSyncFolders,
  GitSyncRequest,
  GitSyncResult,
  GitTag,
  KnownCommit,
  ResolvedRef,
} from './git-types.ts';

/** Startup data of the worker. */
export type WorkerSetup = { access: GitAccess };

export type GitTask =
  | { kind: 'sync'; request: GitSyncRequest & { known?: KnownCommit | undefined }; folders: GitSyncFolders }
  | { kind: 'resolve'; request: GitRemoteRequest & { ref: string } }
  | { kind: 'tags'; request: GitRemoteRequest }
  /** Of a repository that this server wrote; `url` is that of its folder. */
  | { kind: 'files'; request: GitRemoteRequest & { folder: string; ref: string } };

/** Answer of each kind of task. */
export type TaskAnswer = { sync: GitSyncResult | null; resolve: ResolvedRef; tags: GitTag[]; files: GitFile[] };

/**
 * Message to the worker. `stop` is one shared Int32 that becomes 1 when the task must end: synchronous work reads it,
 * and the message `stop` wakes work that waits for the network.
 */
export type ToWorker = { id: number; task: GitTask; stop: SharedArrayBuffer } | { id: number; stop: true };

/** Message to a child process: one task at a time. */
export type ToChild = { id: number; task: GitTask; access: GitAccess } | { id: number; stop: true };

export type FromWorker =
  | { id: number; line: string }
  | { id: number; unpacking: true }
  | { id: number; answer: TaskAnswer[keyof TaskAnswer] }
  | { id: number; stopped: true }
  | { id: number; failure: { code: GitErrorCode; message: string } };
