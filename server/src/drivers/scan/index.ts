export { worstFirst } from './findings.ts';

/** Stored evidence of a scan counts only for its own revision. Raise it when a scan of the same files has another result. */
const scanRevision = 2;

/** Names the scan of a snapshot for one tool: a stored result under another key is not used. */
export const scanKeyOf = ({ name, version }: { name: string; version: string }): string =>
  `${name} ${version} ${scanRevision}`;
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
