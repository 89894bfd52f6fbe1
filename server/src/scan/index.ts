export { createScan, type Scan } from './scan.ts';
export type {
  ModuleReport,
  OwnProviderBlock,
  ScanRequest,
  ScanResult,
  ToolName,
  UsedType,
} from './types.ts';
