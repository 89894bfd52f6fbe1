export { programTypes, worstFirst } from './findings.ts';

/** Stored evidence of a scan counts only for its own revision. Raise it when a scan of the same files has another result. */
const scanRevision = 3;

/** Names the scan of a snapshot, or of one folder of it, for one tool: a stored result under another key is not used. */
export const scanKeyOf = ({ name, version }: { name: string; version: string }, onlyPath?: string): string =>
  `${name} ${version} ${scanRevision}${onlyPath === undefined ? '' : ` ${onlyPath}`}`;
export { createScan, type Scan } from './scan.ts';
export type {
  ArchiveFault,
  FileRequest,
  FileResult,
  ModuleReport,
  OwnProviderBlock,
  ScanRequest,
  ScanResult,
  ToolName,
  UsedType,
} from './types.ts';
