import type { ManifestFinding } from '#server/drivers/manifest/index';

/** How this installation may reach repositories. `caFile` holds PEM certificates that count besides the usual ones. */
export type GitAccess = { allowLoopback: boolean; allowLocal: boolean; caFile?: string; httpsProxy?: string };

export type GitCredential = { username: string; password: string };

/** A repository: `url` by the rules of Git URLs, `credential` for HTTP Basic. */
export type GitRemoteRequest = { url: string; credential?: GitCredential };

/** `ref` is a branch, tag, `HEAD` or full commit id; `path` the subtree to archive, `.` for all. */
export type GitSyncRequest = GitRemoteRequest & { ref: string; path: string };

/** What an earlier sync of the same ref and path ended with. */
export type KnownCommit = { commit: string; archiveDigest: string };

/** `repositoryDir` keeps what was fetched for this Source, `archivesDir` the archives; both private, made when missing. */
export type GitSyncFolders = { repositoryDir: string; archivesDir: string };

/** What a sync leaves out of the archive without failing; a name that is not UTF-8 is shown with `\xNN` escapes. */
export type LeftOut = { path: string; kind: 'symlink' | 'submodule' | 'name_not_utf8' };

export type GitSyncResult = {
  resolvedCommit: string;
  archive: { digest: string; sizeBytes: number; path: string };
  fileCount: number;
  leftOut: LeftOut[];
  /** As found at the root of the repository, whatever the path of the request. */
  manifest: ManifestFinding;
};

/** `ref` is the full name the ref was found under (`refs/heads/main`), `HEAD` when detached, or the commit id itself. */
export type ResolvedRef = { commit: string; ref: string };
/** A tag without `refs/tags/`; `commit` is what an annotated tag points at in the end. */
export type GitTag = { name: string; commit: string };
