export { type AssembledCopy, assemble, type CopiedFile } from './assemble.ts';
export { copyLockName } from './copy-lock.ts';
export { explore } from './explore.ts';
export type { LeftOutEntry } from './links.ts';
export { ModuleCallError, type ModuleCallErrorCode } from './module-call-error.ts';
export { createModuleCalls, type ModuleCalls } from './module-calls.ts';
export { type CallFile, locateCalls, type NewSources, rewriteCalls } from './rewrite-calls.ts';
export type {
  AssembleRequest,
  ExploredPackage,
  ExploreRequest,
  LeftOutPath,
  LeftOutReason,
  ModuleProblem,
  PackageFiles,
  PackageInput,
  RemoteCall,
  Resolution,
} from './types.ts';
export { type WriteCopyRequest, type WrittenCopy, writeCopy } from './write-copy.ts';
