import { z } from 'zod';
import { runErrorCodes } from '../errors.ts';
import { id } from '../kernel/id.ts';
import { Count, Digest, Millis, Timestamp } from '../kernel/scalars.ts';
import { PlanResourceRef, PlanSummary } from '../plans/summary.ts';
import { ProviderResolution } from './provider-resolution.ts';

export const runTypes = [
  'source_sync',
  'compatibility_check',
  'plan',
  'apply',
  'destroy_plan',
  'destroy_apply',
  'drift_check',
  'backup',
  'restore',
] as const;
export type RunType = (typeof runTypes)[number];

export const runStatuses = [
  'queued',
  'running',
  'waiting_approval',
  'succeeded',
  'failed',
  'cancelled',
  'expired',
] as const;
export type RunStatus = (typeof runStatuses)[number];

/** Types that run the tool on a Capsule: a Capsule has at most one of them running. */
export const capsuleRunTypes = [
  'plan',
  'destroy_plan',
  'drift_check',
  'apply',
  'destroy_apply',
  'restore',
] as const satisfies readonly RunType[];
export const planTypes = ['plan', 'destroy_plan', 'drift_check'] as const satisfies readonly RunType[];
export const applyTypes = ['apply', 'destroy_apply'] as const satisfies readonly RunType[];
export type PlanType = (typeof planTypes)[number];
export type ApplyType = (typeof applyTypes)[number];
export const isPlanType = (type: RunType): type is PlanType => (planTypes as readonly RunType[]).includes(type);
export const isApplyType = (type: RunType): type is ApplyType => (applyTypes as readonly RunType[]).includes(type);

/** Purpose of a sync: to follow its lane, or to plan what a person asked for. */
export const syncIntents = ['observe', 'manual_plan'] as const;
export type SyncIntent = (typeof syncIntents)[number];

/** Triggers of an automatic sync. */
export const syncTriggers = ['schedule', 'webhook'] as const;
export type SyncTrigger = (typeof syncTriggers)[number];

/** The pool of the server's own machine. It always exists, every Workspace may use it, and it has no row. */
export const localPool = 'local';
/** Id of a pool of runner machines, or `local`. */
export const RunnerPoolId = z.union([z.literal(localPool), id('runnerPool')]);

export const PhaseTiming = z.strictObject({
  phase: z.string(),
  startedAt: Timestamp,
  finishedAt: Timestamp.optional(),
  durationMs: Count.optional(),
});
export type PhaseTiming = z.infer<typeof PhaseTiming>;

/** Values that an apply is checked against, again when it starts. */
export const ApplyExpected = z.strictObject({
  planId: z.string(),
  capsuleId: z.string().optional(),
  currentStateVersionId: z.string().nullable().optional(),
  runnerId: z.string(),
  sourceDigest: Digest,
  variablesDigest: Digest,
  policyDecisionDigest: Digest,
  planDigest: Digest,
  planArtifactDigest: Digest,
  sourceCommit: z.string().optional(),
  providerLockDigest: Digest.optional(),
  /** Digest of the bindings to Connections; absent when there are none. */
  resolvedProviderBindingsDigest: Digest.optional(),
});
export type ApplyExpected = z.infer<typeof ApplyExpected>;

export const Run = z.strictObject({
  id: z.string(),
  workspaceId: z.string(),
  type: z.enum(runTypes),
  status: z.enum(runStatuses),
  createdBy: z.string(),
  createdAt: Timestamp,
  startedAt: Timestamp.optional(),
  finishedAt: Timestamp.optional(),
  heartbeatAt: Millis.optional(),
  runGroupId: z.string().optional(),
  planRunId: z.string().optional(),
  applyRunId: z.string().optional(),
  /** Pool whose machines execute the Run. */
  runnerPoolId: RunnerPoolId,
  subject: z.strictObject({ kind: z.enum(['capsule', 'resource', 'source']), id: z.string() }).optional(),
  capsuleId: z.string().optional(),
  capsuleName: z.string().optional(),
  environment: z.string().optional(),
  sourceId: z.string().optional(),
  ref: z.string().optional(),
  resolvedCommit: z.string().optional(),
  /** Trigger of an automatic sync; absent when a person started it. */
  trigger: z.enum(syncTriggers).optional(),
  sourceSnapshotId: z.string().optional(),
  compatibilityReportId: z.string().optional(),
  dependencySnapshotId: z.string().optional(),
  /** The StateVersion whose snapshot this plan returns to. */
  rollbackStateVersionId: z.string().optional(),
  baseStateGeneration: Count.optional(),
  executionAuthorityEpoch: Count.optional(),
  toolName: z.enum(['tofu', 'terraform']).optional(),
  toolVersion: z.string().optional(),
  providerLockDigest: Digest.optional(),
  planDigest: Digest.optional(),
  planArtifactRef: z.string().optional(),
  applyExpected: ApplyExpected.optional(),
  summary: PlanSummary.optional(),
  planResources: z.array(PlanResourceRef).optional(),
  /** Number of resources for which a drift check found a difference from the state. */
  driftCount: Count.optional(),
  /** True when an apply of the computed plan would change resources, Outputs or the Capsule's existence. */
  hasChanges: z.boolean().optional(),
  awaits: z.enum(['approve', 'apply']).optional(),
  /** The newer reviewable plan of the Capsule; this plan can be neither approved nor applied. */
  obsoletedBy: z.string().optional(),
  planExpiresAt: Timestamp.optional(),
  phaseTimings: z.array(PhaseTiming).optional(),
  policyStatus: z.enum(['pass', 'warn', 'deny']).optional(),
  requiresApproval: z.boolean().optional(),
  approval: z.strictObject({ by: z.string(), at: Timestamp, reason: z.string().optional() }).optional(),
  /** The one request to those who may approve or apply the plan; it grants nothing. */
  approvalRequest: z.strictObject({ by: z.string(), at: Timestamp, note: z.string().optional() }).optional(),
  superseded: z.strictObject({ at: Timestamp, reason: z.enum(['authority_epoch', 'state_generation']) }).optional(),
  providerResolutions: z.array(ProviderResolution).optional(),
  /** Digest of the names that the Run gets from Connections. */
  runEnvironmentEvidenceDigest: Digest.optional(),
  redactionProfileId: z.string().optional(),
  /** Backup that a backup Run made, or that a restore Run takes its states from. */
  backupId: z.string().optional(),
  /** Generation that a restore of one Capsule returns to; absent for a state from a file. */
  restoreStateGeneration: Count.optional(),
  /** StateVersion that a restore of one Capsule made, and the one whose state it holds. */
  restoredStateVersionId: z.string().optional(),
  restoredFromStateVersionId: z.string().optional(),
  errorCode: z.enum(runErrorCodes).optional(),
});
export type Run = z.infer<typeof Run>;

/** A Run as a list returns it: without the parts that grow with the plan. */
export const RunRow = Run.omit({ planResources: true, applyExpected: true, providerResolutions: true });
export type RunRow = z.infer<typeof RunRow>;
