import { z } from 'zod';
import { capsuleStatuses } from '../capsules/contract.ts';
import { preconditionReasons } from '../errors.ts';
import { CapsuleName, Count, DisplayName, Environment, Handle, Timestamp } from '../kernel/scalars.ts';

/** A Capsule that has resources, or may have some. No one manages them after its Workspace was deleted. */
export const CapsuleWithResources = z.strictObject({
  id: z.string(),
  name: CapsuleName,
  environment: Environment,
  status: z.enum(capsuleStatuses),
  /** Resources of the current state; absent for a Capsule without a state whose last apply has no known result. */
  resourceCount: Count.optional(),
});
export type CapsuleWithResources = z.infer<typeof CapsuleWithResources>;

/** An active share by which another Workspace reads Outputs. */
export const ShareInUse = z.strictObject({
  id: z.string(),
  toWorkspaceId: z.string(),
  capsuleName: CapsuleName,
  outputs: z.array(z.string()),
});
export type ShareInUse = z.infer<typeof ShareInUse>;

/** Numbers of records that a deletion removes. */
export const DeletedRecords = z.strictObject({
  capsules: Count,
  stateVersions: Count,
  runs: Count,
  sources: Count,
  connections: Count,
  webhooks: Count,
  members: Count,
  tokens: Count,
  /** Resources of the form host, with their native objects. */
  formResources: Count,
});
export type DeletedRecords = z.infer<typeof DeletedRecords>;

/** Records that remain: the rows of the audit trail, and the tombstone with id and name. */
export const RemainingRecords = z.strictObject({ auditEvents: Count, tombstone: z.literal(true) });
export type RemainingRecords = z.infer<typeof RemainingRecords>;

/** Reasons that refuse a deletion now. */
export const DeletionBlocker = z.strictObject({ reason: z.enum(preconditionReasons), count: Count });
export type DeletionBlocker = z.infer<typeof DeletionBlocker>;

export const WorkspaceDeletionPreview = z.strictObject({
  workspaceId: z.string(),
  handle: Handle,
  displayName: DisplayName,
  capsulesByStatus: z.partialRecord(z.enum(capsuleStatuses), Count),
  capsulesWithResources: z.array(CapsuleWithResources),
  sharesInUse: z.array(ShareInUse),
  deletes: DeletedRecords,
  remains: RemainingRecords,
  blockers: z.array(DeletionBlocker),
});
export type WorkspaceDeletionPreview = z.infer<typeof WorkspaceDeletionPreview>;

/**
 * A Workspace that was deleted. `deleting` while its rows and files are removed: its keys and everything that acts have
 * ended before.
 */
export const WorkspaceDeletion = z.strictObject({
  workspaceId: z.string(),
  handle: Handle,
  displayName: DisplayName,
  status: z.enum(['deleting', 'deleted']),
  deletedBy: z.string(),
  deletedAt: Timestamp,
  completedAt: Timestamp.optional(),
  /** Capsules whose resources were left in place. */
  leftCapsules: z.array(z.strictObject({ id: z.string(), name: CapsuleName })),
  remains: RemainingRecords,
});
export type WorkspaceDeletion = z.infer<typeof WorkspaceDeletion>;
