import type { ProgramBlock, ToolName } from '#server/drivers/scan/index';
import type { LeftOutEntry } from './links.ts';

/** Snapshot of a repository, or a fetched package: the archive of its regular files, and the entries beside them. */
export type PackageFiles = { archivePath: string; archiveDigest: string; leftOut: readonly LeftOutEntry[] };

/** Reason that the tool or a copy refuses a module. `path` is that of a file or folder of the package. */
export type ModuleProblem = { path: string; code: string; message: string };

/**
 * A call of a module elsewhere. `file` and `line` are where the source stands, `folder` the calling module. `version` is
 * the constraint.
 */
export type RemoteCall = {
  folder: string;
  file: string;
  line: number;
  name: string;
  source: string;
  version?: string;
};

export type ExploreRequest = {
  files: PackageFiles;
  toolName: ToolName;
  /** Folders of the called or chosen modules, `.` for the top. */
  entries: readonly string[];
  /** True for the repository itself, whose lock and variable files belong to the chosen modules. */
  isRoot: boolean;
};

/** Result of following the calls inside one package. Paths are relative to its top, lists sorted by path. */
export type ExploredPackage = {
  reached: string[];
  remoteCalls: RemoteCall[];
  problems: ModuleProblem[];
  programs: ProgramBlock[];
  /** License file at the top of the package. */
  license?: string;
};

/**
 * A fetched package. `name` is its address without folder and query, for the name of its folder. The other texts go into
 * the lock file of the copy.
 */
export type PackageInput = {
  key: string;
  files: PackageFiles;
  name: string;
  url: string;
  version?: string;
  commit?: string;
};

/** The package, and the folder in it, that a source with a constraint was resolved to. */
export type Resolution = { source: string; version?: string; package: string; sub: string };

export type AssembleRequest = {
  toolName: ToolName;
  root: PackageFiles;
  /** Chosen modules of the repository. */
  entries: readonly string[];
  packages: readonly PackageInput[];
  resolutions: readonly Resolution[];
};

export type LeftOutReason =
  | 'not_called'
  | 'lock_file'
  | 'variables_file'
  | 'test_file'
  | 'forbidden_name'
  | 'not_a_file';

/** A path of the repository or of a package that the copy does not hold; `package` is the key of the package. */
export type LeftOutPath = { package?: string; path: string; reason: LeftOutReason };
