export { type LimitsEnforced, limitsEnforced } from '../os/cgroup-limits.ts';
export { type Environment, isCredentialName } from '../os/environment.ts';
export { RunnerError, type RunnerErrorCode } from '../os/runner-error.ts';
export { findBubblewrap, probeArgv } from '../os/sandbox.ts';
export {
  type Captured,
  type CaptureOptions,
  type Exit,
  runTool,
  spawnDetached,
  spawnPiped,
  startMessageChild,
} from '../os/spawn.ts';
export { builtArchive } from './contract/built-archive.ts';
export { type RunCredentials, secretsIn, supportsProviderArguments } from './contract/credentials.ts';
export type * from './contract/job.ts';
export { findLastState } from './contract/last-state.ts';
export { createRedactor, type RedactingStream, type Redactor, redactedMark } from './contract/redaction/redactor.ts';
export type { FollowOptions } from './follow.ts';
export { findOccupant, isSupervised, type Occupant } from './occupancy.ts';
export { probeSandbox, type SandboxProbe } from './probe.ts';
export { createRunner, type Runner, type RunnerOptions } from './runner.ts';
