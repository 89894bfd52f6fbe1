import type { ArchiveFault } from '#server/drivers/archive/index';
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
  /** Expected digest of the archive, if any. */
  archiveDigest?: string;
  sourceSnapshotId: string;
  /** The Source path inside the repository, `.` for all of it. All other paths are relative to it. */
  scopePath: string;
  toolName: ToolName;
  toolVersion: string;
  /** Entries of the repository that the archive leaves out: symlinks, submodules, names that are not text. */
  leftOut: readonly { path: string; kind: string }[];
  /** Modules that the repository manifest names: they are offered even when they are called or are examples. */
  namedPaths?: readonly string[];
  /** Scans only this folder with everything it reaches, even when the list leaves it out. */
  onlyPath?: string;
};

export type UsedType = { type: string; count?: number; allowed: boolean };

/** A provider block of the root module. A `forEach` block cannot be completed by an override. */
export type OwnProviderBlock = {
  source: string;
  moduleLocalName: string;
  childAlias?: string;
  /** Arguments and nested blocks that the block sets, without `alias`, `version` and `for_each`. */
  arguments: string[];
  forEach: boolean;
};

/** Needs and declarations of one candidate module, including every module it calls. */
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
  /** True when the module's encryption declares a `default` for remote state. */
  encryptionDefault: boolean;
  /** Digest over path and content of every configuration file and of the lock file, `sha256:` and 64 hex digits. */
  configurationDigest: string;
  /** Parts of the module that start programs; undefined when there are none. */
  programs?: Programs;
};

/** Parts of a module that start programs of its choice. Digests are `sha256:` and 64 hex digits. */
export type Programs = {
  /** `type.name` of each resource with a provisioner, and `removed` for a block of that kind with one. */
  provisioned: string[];
  /** Digest of the resources with provisioners, and of the data sources that start a program. */
  blocksDigest: string;
  /** Digest of all non-configuration files of the archive, because it is unknown which of them a program reads. */
  filesDigest: string;
};

/** `reports` has one entry per module of a ready discovery. `failure` is the reason of a failed scan, for the log. */
export type ScanResult = {
  discovery: InstallModules;
  reports: ModuleReport[];
  failure?: string;
  archiveFault?: ArchiveFault;
};
