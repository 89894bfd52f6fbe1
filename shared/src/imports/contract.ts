import { z } from 'zod';
import { CommitCapsule } from '../install-plans/commit-capsule.ts';
import { Count, Digest, Timestamp, VariableName } from '../kernel/scalars.ts';

/** `uploaded`: the state is stored and no Capsule has it. `requested`: a Capsule and its restore Run exist. */
export const importPhases = ['uploaded', 'requested'] as const;

/** Summary of an uploaded state, without its values. */
export const ImportedState = z.strictObject({
  lineage: z.string(),
  serial: Count,
  /** Tool that wrote the state, as its provider addresses show; absent for a state of built-in providers only. */
  toolName: z.enum(['tofu', 'terraform']).optional(),
  toolVersion: z.string(),
  digest: Digest,
  sizeBytes: Count,
  resourceCount: Count,
  outputCount: Count,
  /** Addresses of the providers of its resources, sorted, such as `registry.opentofu.org/hashicorp/time`. */
  providers: z.array(z.string()),
});
export type ImportedState = z.infer<typeof ImportedState>;

/** A state that was uploaded to become the first one of a new Capsule. */
export const Import = z.strictObject({
  id: z.string(),
  workspaceId: z.string(),
  phase: z.enum(importPhases),
  state: ImportedState,
  /** The new Capsule, and the newest restore Run that waits for approval or has ended. */
  capsuleId: z.string().optional(),
  runId: z.string().optional(),
  createdBy: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  /** An upload that no Capsule has is deleted after this time. */
  expiresAt: Timestamp.optional(),
});
export type Import = z.infer<typeof Import>;

const { workspaceId: _, ...capsuleShape } = CommitCapsule.shape;

/** The Capsule that gets the state, from a module that was synced and checked before. */
export const RequestImport = z.strictObject({
  ...capsuleShape,
  /** Variables that count as secret and are sealed, besides those that the module declares sensitive. */
  secretVariables: z.array(VariableName).max(256).optional(),
});
export type RequestImport = z.infer<typeof RequestImport>;
