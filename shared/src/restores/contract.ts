import { z } from 'zod';
import { Count, Timestamp } from '../kernel/scalars.ts';

const ToolName = z.enum(['tofu', 'terraform']);

/** Addresses of resource instances, sorted: the first ones, and how many there are. */
export const AddressList = z.strictObject({ total: Count, addresses: z.array(z.string()) });
export type AddressList = z.infer<typeof AddressList>;

/** Difference between two states of a Capsule, without values. */
export const StateDifference = z.strictObject({
  /** In the restored state, and not in the current one. */
  added: AddressList,
  /** In the current state, and not in the restored one. */
  removed: AddressList,
  /** In both, with different content. */
  changed: AddressList,
});
export type StateDifference = z.infer<typeof StateDifference>;

/** Effect of a restore on one Capsule. */
export const RestoredCapsule = z.strictObject({
  capsuleId: z.string(),
  name: z.string(),
  environment: z.string(),
  /** Generation of the current state; 0 for a Capsule without one. */
  currentGeneration: Count,
  /** Generation whose state returns; absent for a state from a file. */
  sourceGeneration: Count.optional(),
  /** Generation that the restored state becomes. */
  newGeneration: Count,
  currentResourceCount: Count,
  restoredResourceCount: Count,
  ...StateDifference.shape,
  /** Set when the state was written by another tool than the one that takes it in. */
  conversion: z.strictObject({ from: ToolName, to: ToolName }).optional(),
  /** The StateVersion that holds the restored state, after the Run has succeeded. */
  stateVersionId: z.string().optional(),
});
export type RestoredCapsule = z.infer<typeof RestoredCapsule>;

/** Origin of the states of a restore. */
export const RestoreOrigin = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('backup'), backupId: z.string(), backupCreatedAt: Timestamp }),
  z.strictObject({ kind: z.literal('upload') }),
  /** A state that arrived after the apply that made it was ended. */
  z.strictObject({ kind: z.literal('late'), runId: z.string() }),
]);
export type RestoreOrigin = z.infer<typeof RestoreOrigin>;

/** A Capsule of the backup that the restore does not change. */
export const LeftOutCapsule = z.strictObject({
  capsuleId: z.string(),
  name: z.string(),
  reason: z.enum(['capsule_destroyed', 'capsule_missing', 'capsule_disabled', 'capsule_held', 'capsule_busy']),
});
export type LeftOutCapsule = z.infer<typeof LeftOutCapsule>;

/** Review of a restore Run. */
export const RestoreReview = z.strictObject({
  runId: z.string(),
  origin: RestoreOrigin,
  capsuleCount: Count,
  /** A page of the Capsules, in the order of their ids. */
  capsules: z.array(RestoredCapsule),
  leftOut: z.array(LeftOutCapsule),
});
export type RestoreReview = z.infer<typeof RestoreReview>;
