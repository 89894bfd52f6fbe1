import { z } from 'zod';
import { Count, Timestamp } from '../kernel/scalars.ts';

export const toolNames = ['tofu', 'terraform'] as const;

/** Reasons why a machine has no sandbox, each with one remedy. */
export const sandboxProblemCodes = [
  'unsupported_system',
  'not_installed',
  'outdated',
  'namespaces_disabled',
  'namespaces_exhausted',
  'seccomp',
  'apparmor',
  'proc_masked',
  'tool_failed',
  'unknown',
] as const;

/** Reason why commands run without a sandbox; `message` names the remedy. */
export const SandboxProblem = z.strictObject({ code: z.enum(sandboxProblemCodes), message: z.string() });
export type SandboxProblem = z.infer<typeof SandboxProblem>;

/** The tool that Runs of the pool `local` use, and its isolation from the machine of the server. */
export const RunnerCapability = z.strictObject({
  available: z.boolean(),
  /** Reason for which Runs of the pool `local` are refused now; absent while they are not. */
  unavailableReason: z.string().optional(),
  toolName: z.enum(toolNames).nullable(),
  toolVersion: z.string().nullable(),
  sandbox: z.enum(['bwrap', 'none']),
  /** Only when the sandbox was tried and does not work. */
  sandboxProblem: SandboxProblem.optional(),
  network: z.enum(['isolated', 'shared', 'none']),
});
export type RunnerCapability = z.infer<typeof RunnerCapability>;

/** An installation of the pinned tool, with its progress. */
export const ToolInstall = z.strictObject({
  id: z.string(),
  status: z.enum(['running', 'succeeded', 'failed']),
  receivedBytes: Count,
  totalBytes: Count.optional(),
  error: z.string().optional(),
  startedAt: Timestamp.optional(),
});
export type ToolInstall = z.infer<typeof ToolInstall>;
