import type { ArchivedFile } from '#server/drivers/archive/index';
import type {
  Finding,
  InstallModules,
  OutputDeclaration,
  ProviderPackage,
  RootProviderRequirement,
  VariableDeclaration,
} from '#shared/sources/module-scan';
import type { CompatibilityLevel } from '#shared/sources/report';

export type ToolName = 'tofu' | 'terraform';

export type ScanRequest = {
  archivePath: string;
  /** When given, the archive must have it. */
  archiveDigest?: string;
  sourceSnapshotId: string;
  /** The Source path inside the repository, `.` for the whole of it. All other paths are relative to it. */
  scopePath: string;
  toolName: ToolName;
  toolVersion: string;
  /** What the repository holds but the archive does not: symlinks, submodules, names that are not text. */
  leftOut: readonly { path: string; kind: string }[];
  /** Modules that the repository manifest names: they are offered even when they are called or are examples. */
  namedPaths?: readonly string[];
  /** Scan this folder with everything it reaches, also when the list leaves it out. */
  onlyPath?: string;
};

export type UsedType = { type: string; count?: number; allowed: boolean };

/** A provider block of the root module. A `forEach` block cannot be completed by an override. */
export type OwnProviderBlock = {
  source: string;
  moduleLocalName: string;
  childAlias?: string;
  /** Arguments and nested blocks the block sets, `alias`, `version` and `for_each` not among them. */
  arguments: string[];
  forEach: boolean;
};

/** What one candidate module needs and declares, itself and everything it calls. */
export type ModuleReport = {
  modulePath: string;
  level: CompatibilityLevel;
  findings: Finding[];
  providerPackages: ProviderPackage[];
  rootProviderRequirements: RootProviderRequirement[];
  resources: UsedType[];
  dataSources: UsedType[];
  provisioners: UsedType[];
  rootModuleVariables: string[];
  rootModuleVariableDeclarations: VariableDeclaration[];
  rootModuleOutputs: OutputDeclaration[];
  ownProviderBlocks: OwnProviderBlock[];
  /** Names of the `remote_state_data_source` blocks of the module's encryption. */
  encryptionTargets: string[];
  /** Whether the module's encryption declares a `default` for remote state. */
  encryptionDefault: boolean;
  /** Over path and content of every configuration file and of the lock file, `sha256:` and 64 hex digits. */
  configurationDigest: string;
  /** What starts programs; undefined when nothing does. */
  programs?: Programs;
};

/** What of a module starts programs of its choice. Digests are `sha256:` and 64 hex digits. */
export type Programs = {
  /** `type.name` of each resource with a provisioner, and `removed` for a block of that kind with one. */
  provisioned: string[];
  /** Of the resources with provisioners, and of the data sources that start a program. */
  blocksDigest: string;
  /** Of all files of the archive that are no configuration: which of them a program reads cannot be known. */
  filesDigest: string;
};

/** Why an archive was not read: it is not there, or not the one that was recorded. */
export type ArchiveFault = 'archive_missing' | 'archive_corrupt';

/** `reports` has one entry per module of a ready discovery. `failure` says for the log why a scan failed. */
export type ScanResult = {
  discovery: InstallModules;
  reports: ModuleReport[];
  failure?: string;
  archiveFault?: ArchiveFault;
};

/** One file of an archive. */
export type FileRequest = { path: string; digest: string; name: string };
export type FileResult = ArchivedFile | { kind: 'failed'; failure: string; archiveFault?: ArchiveFault };
