import { z } from 'zod';
import {
  InstallCapsule,
  InstallDiagnostic,
  InstallOptions,
  InstallSource,
  installDiagnosticCodes,
} from '../install-plans/contract.ts';
import { Count, Digest, Timestamp } from '../kernel/scalars.ts';

export const revisionPhases = [
  'syncing_source',
  'analyzing_compatibility',
  'planning',
  'reviewable',
  'failed',
] as const;
export type RevisionPhase = (typeof revisionPhases)[number];

const revisionDiagnosticCodes = [
  ...installDiagnosticCodes,
  'revision_compatibility_not_runnable',
  'revision_identity_changed',
  'revision_plan_reconcile_retryable',
  'revision_plan_cancelled',
  'revision_plan_expired',
  'revision_plan_failed',
] as const;
export type RevisionDiagnosticCode = (typeof revisionDiagnosticCodes)[number];

export const RevisionDiagnostic = InstallDiagnostic.extend({ code: z.enum(revisionDiagnosticCodes) });
export type RevisionDiagnostic = z.infer<typeof RevisionDiagnostic>;

/** State of the Capsule when the revision plan was requested; every step compares the Capsule with it. */
export const RevisionBase = z.strictObject({
  capsuleStateGeneration: Count,
  capsuleStateVersionId: z.string().optional(),
  installConfigId: z.string(),
  installConfigDigest: z.string(),
  sourceDefaultRef: z.string(),
  sourceDefaultPath: z.string(),
  sourceAuthConnectionId: z.string().optional(),
});
export type RevisionBase = z.infer<typeof RevisionBase>;

/**
 * A step-by-step update of a Capsule to another ref: its input, its progress, and references to the records it created.
 */
export const RevisionPlan = z.strictObject({
  id: z.string(),
  workspaceId: z.string(),
  createdBy: z.string(),
  operation: z.literal('revision'),
  requestDigest: Digest,
  source: InstallSource,
  capsule: InstallCapsule,
  options: InstallOptions,
  revision: z.strictObject({ targetRef: z.string(), base: RevisionBase }),
  sourceId: z.string(),
  sourceSyncRunId: z.string().optional(),
  sourceSnapshotId: z.string().optional(),
  compatibilityCheckRunId: z.string().optional(),
  compatibilityReportId: z.string().optional(),
  installConfigId: z.string(),
  installModulePath: z.string(),
  capsuleId: z.string(),
  planRunId: z.string().optional(),
  phase: z.enum(revisionPhases),
  generation: Count,
  diagnostic: RevisionDiagnostic.optional(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  completedAt: Timestamp.optional(),
});
export type RevisionPlan = z.infer<typeof RevisionPlan>;
