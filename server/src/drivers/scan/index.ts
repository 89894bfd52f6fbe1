export { worstFirst } from './findings.ts';
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
