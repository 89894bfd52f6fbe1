import { z } from 'zod';
import { AnyJson } from '../kernel/any-json.ts';
import { Count, Digest, Timestamp } from '../kernel/scalars.ts';

/** Type of the value of a public, shared or mapped Output. */
export const OutputType = z.enum(['string', 'url', 'hostname', 'number', 'boolean', 'json']);
export type OutputType = z.infer<typeof OutputType>;

export const StateVersion = z.strictObject({
  id: z.string(),
  workspaceId: z.string(),
  capsuleId: z.string(),
  environment: z.string(),
  generation: Count,
  createdByRunId: z.string(),
  sourceSnapshotId: z.string().optional(),
  resourceCount: Count,
  partial: z.literal(true).optional(),
  createdAt: Timestamp,
});
export type StateVersion = z.infer<typeof StateVersion>;

export const Output = z.strictObject({
  id: z.string(),
  workspaceId: z.string(),
  capsuleId: z.string(),
  stateGeneration: Count,
  publicOutputs: z.record(z.string(), AnyJson),
  workspaceOutputs: z.record(z.string(), AnyJson),
  outputDigest: Digest,
  createdAt: Timestamp,
});
export type Output = z.infer<typeof Output>;
