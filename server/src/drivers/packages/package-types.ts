import type { Secret } from '#server/kernel/secret';
import type { ArchiveFormat, Checksum } from './module-address.ts';

/** Credentials of a Workspace. None is sent elsewhere. */
export type PackageCredentials = {
  /** By the host of the registry, with its port unless that is 443. */
  registryTokens?: ReadonlyMap<string, Secret>;
  /** By the owner of the repositories, as `gitOwnerOf` returns it. */
  gitAccounts?: ReadonlyMap<string, { username: string; password: Secret }>;
};

type ResolvedBase = {
  /** Address that the files come from. It may hold a signature, so only `shownUrl` is for people. */
  url: string;
  /** The same without its query. */
  shownUrl: string;
  /** Version that the registry was asked for. */
  version?: string;
  /** Folder that becomes the package, `.` for all; only `X-Terraform-Get` names one. It may be a pattern. */
  root: string;
  /** Called folder of the package. It may be a pattern, which only the files decide. */
  sub: string;
  /** Set when a credential was needed to get here, so that the package belongs to one Workspace. */
  isPrivate: boolean;
};
export type ResolvedGit = ResolvedBase & { kind: 'git'; commit: string; ref: string };
export type ResolvedArchive = ResolvedBase & {
  kind: 'archive';
  format?: ArchiveFormat;
  checksum?: Checksum;
  /** Registry whose token the download gets, if it is on that host. */
  tokenHost?: string;
};
/** An address and a constraint, pinned: `commit` or `checksum` names the bytes, except of an archive without a checksum. */
export type Resolved = ResolvedGit | ResolvedArchive;

/** Entry that is not among the files of a package. */
export type LeftOutEntry = {
  path: string;
  kind: 'symlink' | 'hard_link' | 'special' | 'git_folder' | 'name_not_utf8';
  /** Text of a symbolic link of Git. In an archive the tool reads none as a link. */
  target?: string;
};

export type PackageLimits = { sizeBytes: number; files: number };

/**
 * A fetched package. `archive` is the path of the sorted tar of its files and `digest` its digest, so equal files have
 * equal digests wherever they come from.
 */
export type FetchedPackage = {
  digest: string;
  sizeBytes: number;
  fileCount: number;
  leftOut: LeftOutEntry[];
  /** Called folder, without a pattern. */
  sub: string;
  archive: string;
};
