export { attribute } from './blocks.ts';
export { circles, configurationFolders, isExample, reachable, readReachable } from './exploration.ts';
export { configurationName, forbiddenPart, isConfiguration, isVariablesFile, lockFileName } from './file-names.ts';
export { programTypes, worstFirst } from './findings.ts';
export { isTemplate } from './local-source.ts';
export { createFolderReader, type FolderReader, type ModuleFolder } from './module-folder.ts';
export { createParser, type Parser } from './parse-file.ts';
export { type ProgramBlock, programBlocks } from './programs.ts';

/**
 * Revision of the scan. Increase it when a scan of the same files has another result, so that stored scans are not
 * used.
 */
const scanRevision = 3;

/**
 * Returns the key of a scan of a snapshot, or of one folder of it, for one tool: a stored result under another key is
 * not used.
 */
export const scanKeyOf = ({ name, version }: { name: string; version: string }, onlyPath?: string): string =>
  `${name} ${version} ${scanRevision}${onlyPath === undefined ? '' : ` ${onlyPath}`}`;
export { createScan, type Scan } from './scan.ts';
export { readSourceTree, type SourceTree } from './source-tree.ts';
export type { ModuleReport, ScanResult, ToolName } from './types.ts';
export {
  type Constraint,
  compareVersions,
  isExact,
  meets,
  parseConstraint,
  parseVersion,
  type Version,
  versionTextOf,
} from './version-constraint.ts';
