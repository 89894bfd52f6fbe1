import { pathToFileURL } from 'node:url';
import { copyIdOf } from '#shared/sources/copy-address';
import type { TaskOptions } from './git-link.ts';
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
import { createProcessLink, type ProcessLinkOptions } from './process-link.ts';
import { createThreadLink } from './thread-link.ts';
import type { GitTask, TaskAnswer } from './worker-messages.ts';

/** `signal` ends the work: with `source_timed_out` when its reason is a timeout, else with its own reason. */
type GitSyncOptions = GitSyncFolders & TaskOptions;

/** Git without a checkout and without the `git` program. Every method rejects with `GitError`. */
export type Git = {
  /** Fetches the commit a ref names and archives its regular files below `path`. */
  sync: (request: GitSyncRequest, options: GitSyncOptions) => Promise<GitSyncResult>;
  /**
   * As `sync`, but returns undefined when the ref still names the commit of an earlier sync and its archive is intact.
   */
  syncChanges: (
    request: GitSyncRequest & { known: KnownCommit | undefined },
    options: GitSyncOptions,
  ) => Promise<GitSyncResult | undefined>;
  /** Resolves a ref. A full commit id is returned unchanged: only a sync proves that the server has it. */
  resolveRef: (request: GitRemoteRequest & { ref: string }, signal?: AbortSignal) => Promise<ResolvedRef>;
  listTags: (request: GitRemoteRequest, signal?: AbortSignal) => Promise<GitTag[]>;
  /** Lists the regular files of a commit in a repository that this server wrote, sorted by path. */
  listFiles: (request: { folder: string; ref: string }, signal?: AbortSignal) => Promise<GitFile[]>;
  /** Stops the driver; running work rejects. */
  close: () => Promise<void>;
};

type GitOptions = GitAccess & { processes: Omit<ProcessLinkOptions, 'access'> };

/**
 * Creates the driver. Git servers are contacted from a thread, repositories on this machine's disk are read in
 * processes.
 */
export function createGit({ processes, ...access }: GitOptions): Git {
  const servers = createThreadLink(access);
  const disk = createProcessLink({ access, ...processes });
  const run = <Kind extends GitTask['kind']>(task: GitTask & { kind: Kind }, options: TaskOptions) =>
    (isOnDisk(task.request.url) ? disk : servers).run(task, options) as Promise<TaskAnswer[Kind]>;
  const syncChanges: Git['syncChanges'] = async (request, { repositoryDir, archivesDir, ...options }) =>
    (await run({ kind: 'sync', request, folders: { repositoryDir, archivesDir } }, options)) ?? undefined;
  return {
    sync: (request, options) => syncChanges({ ...request, known: undefined }, options) as Promise<GitSyncResult>,
    syncChanges,
    resolveRef: (request, signal) => run({ kind: 'resolve', request }, { signal }),
    listTags: (request, signal) => run({ kind: 'tags', request }, { signal }),
    listFiles: ({ folder, ref }, signal) =>
      run({ kind: 'files', request: { url: pathToFileURL(folder).href, folder, ref } }, { signal }),
    close: async () => void (await Promise.all([servers.close(), disk.close()])),
  };
}

const isOnDisk = (url: string): boolean => /^file:/i.test(url) || copyIdOf(url) !== undefined;
