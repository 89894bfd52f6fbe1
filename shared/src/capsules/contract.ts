import { z } from 'zod';
import { DriftMark } from '../drift/mark.ts';
import { CapsuleDriftSchedule } from '../drift/schedule.ts';
import { runErrorCodes } from '../errors.ts';
import { CapsuleName, Count, Digest, Environment, Slug, Timestamp } from '../kernel/scalars.ts';
import { PlanSummary } from '../plans/summary.ts';
import { RunnerPoolId, runStatuses, runTypes } from '../runs/contract.ts';
import { compatibilityLevels } from '../sources/report.ts';

export const capsuleStatuses = ['pending', 'active', 'stale', 'error', 'disabled', 'destroyed'] as const;
export type CapsuleStatus = (typeof capsuleStatuses)[number];

export const AdoptedSourceRevision = z.strictObject({
  sourceSnapshotId: z.string(),
  ref: z.string(),
  path: z.string(),
  resolvedCommit: z.string(),
});
export type AdoptedSourceRevision = z.infer<typeof AdoptedSourceRevision>;

/** Absolute paths of folders outside the Capsule's own that its Runs may write to. */
export const WritablePaths = z.array(z.string().max(1_024)).max(8);

export const maxNoteLength = 2_000;
/** Text for the people of the Workspace. An empty one removes the note. */
export const CapsuleNote = z.string().max(maxNoteLength);

export const maxHoldReasonLength = 500;
/** Nothing is applied to a held Capsule. The reason is text of a person and is escaped where it is shown. */
export const CapsuleHold = z.strictObject({
  reason: z.string(),
  until: Timestamp.optional(),
  heldBy: z.string(),
  heldAt: Timestamp,
});
export type CapsuleHold = z.infer<typeof CapsuleHold>;
export const maxLabels = 16;
/** Text that Capsules are grouped by, such as `team/web` or `eu-1`. */
export const CapsuleLabel = z
  .string()
  .max(40)
  .regex(/^[a-z0-9](?:[a-z0-9._/-]*[a-z0-9])?$/);
/** Labels of a Capsule, in any order and with repeats. An empty list removes all. */
export const CapsuleLabels = z.array(CapsuleLabel).max(maxLabels);

export const Capsule = z.strictObject({
  id: z.string(),
  workspaceId: z.string(),
  projectId: z.string(),
  name: CapsuleName,
  slug: Slug,
  environment: Environment,
  sourceId: z.string(),
  installConfigId: z.string(),
  status: z.enum(capsuleStatuses),
  currentStateVersionId: z.string().optional(),
  currentStateGeneration: Count,
  executionAuthorityEpoch: z.int().min(1),
  runtimeSafety: z.enum(['safe', 'unknown']).optional(),
  compatibilityReportId: z.string().optional(),
  compatibilityStatus: z.enum(compatibilityLevels).optional(),
  autoUpdate: z.boolean().optional(),
  writablePaths: WritablePaths.optional(),
  note: CapsuleNote.optional(),
  hold: CapsuleHold.nullable(),
  driftSchedule: CapsuleDriftSchedule,
  /** Null while the Capsule was never checked for drift. */
  drift: DriftMark.nullable(),
  /** Pool of its next plans; null means the default of the Workspace. */
  runnerPoolId: RunnerPoolId.nullable(),
  /** Sorted. */
  labels: CapsuleLabels.optional(),
  adoptedSourceRevision: AdoptedSourceRevision.optional(),
  latestRun: z
    .strictObject({
      id: z.string(),
      type: z.enum(runTypes),
      status: z.enum(runStatuses),
      createdAt: Timestamp,
      finishedAt: Timestamp.optional(),
      summary: PlanSummary.optional(),
      errorCode: z.enum(runErrorCodes).optional(),
      awaits: z.enum(['approve', 'apply']).optional(),
    })
    .optional(),
  installConfigReAdoption: z.strictObject({ authorityGuard: Digest }).optional(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Capsule = z.infer<typeof Capsule>;
