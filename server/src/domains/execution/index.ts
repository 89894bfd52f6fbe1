export { createSpecBuilder } from './execution-spec.ts';
export { type Folders, runDirOf } from './folders.ts';
export type { LostApply } from './run-ends.ts';
export { createExecutionHandler } from './run-handler.ts';
export { createRunValues } from './run-values.ts';
export { runKey } from './sealing.ts';
export { createCapsuleChecks, type Refusal, type StartCheck } from './start-checks.ts';
export { createExecutionStore, type ExecutionStore } from './store.ts';
export { createToolManager, type ToolManager } from './tool-manager.ts';
