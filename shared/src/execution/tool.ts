import { z } from 'zod';
import { Count, Timestamp } from '../kernel/scalars.ts';

export const toolNames = ['tofu', 'terraform'] as const;

/** The tool that Runs use, and its isolation from the machine. */
export const RunnerCapability = z.strictObject({
  available: z.boolean(),
  toolName: z.enum(toolNames).nullable(),
  toolVersion: z.string().nullable(),
  sandbox: z.enum(['bwrap', 'none']),
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
