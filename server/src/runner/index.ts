export { type Environment, isCredentialName } from './environment.ts';
export type { FollowOptions } from './follow.ts';
export type * from './job.ts';
export type { SandboxProbe } from './probe.ts';
export { createRedactor, type RedactingStream, type Redactor, redactedMark } from './redaction/redactor.ts';
export { createRunner, type Runner, type RunnerOptions } from './runner.ts';
export { RunnerError, type RunnerErrorCode } from './runner-error.ts';
export { type Captured, type CaptureOptions, type Exit, runTool, spawnDetached, spawnPiped } from './spawn.ts';
