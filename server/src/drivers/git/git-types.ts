import type { ManifestFinding } from '#server/drivers/manifest/index';
import type { SnapshotCommit } from '#shared/sources/contract';

/**
 * Settings for reaching repositories. `caFile` holds PEM certificates that are trusted in addition to the usual
 * ones.
 */
export type GitAccess = {
  allowLoopback: boolean;
  allowLocal: boolean;
  /** Folder with the repositories of the installable copies, which `svc-copy:` URLs name. */
  copiesDir?: string;
  caFile?: string;
  httpsProxy?: string;
};

export type GitCredential = { username: string; password: string };

/** A repository: `url` by the rules of Git URLs, `credential` for HTTP Basic. */
export type GitRemoteRequest = { url: string; credential?: GitCredential };

/**
 * `ref` is a branch, tag, `HEAD` or full commit id; `path` the subtree to archive, `.` for all. With `linkTargets` the
 * result names where symbolic links lead.
 */
export type GitSyncRequest = GitRemoteRequest & { ref: string; path: string; linkTargets?: boolean };

/** Result of an earlier sync of the same ref and path. */
export type KnownCommit = { commit: string; archiveDigest: string };

/**
 * `repositoryDir` keeps the fetched packs of this Source, `archivesDir` the archives; both private, created when
 * missing.
 */
export type GitSyncFolders = { repositoryDir: string; archivesDir: string };

/**
 * Entry that a sync leaves out of the archive without failing; a name that is not UTF-8 is shown with `\xNN` escapes.
 * `target` is the text of a symbolic link as the repository holds it, when it was requested and is a path.
 */
export type LeftOut = { path: string; kind: 'symlink' | 'submodule' | 'name_not_utf8'; target?: string };

export type GitSyncResult = {
  resolvedCommit: string;
  archive: { digest: string; sizeBytes: number; path: string };
  fileCount: number;
  leftOut: LeftOut[];
  commit: SnapshotCommit;
  /** Manifest at the root of the repository, independent of the path of the request. */
  manifest: ManifestFinding;
};

/**
 * `ref` is the full name under which the ref was found (`refs/heads/main`), `HEAD` when detached, or the commit id
 * itself.
 */
export type ResolvedRef = { commit: string; ref: string };
/** Path of a regular file, and its mode with the id of its blob as a tree holds them. */
export type GitFile = [path: string, entry: string];
/** A tag without `refs/tags/`; `commit` is the peeled target of an annotated tag. */
export type GitTag = { name: string; commit: string };
