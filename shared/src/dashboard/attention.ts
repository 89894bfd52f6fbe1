import { z } from 'zod';
import { CapsuleHold } from '../capsules/contract.ts';
import { runErrorCodes } from '../errors.ts';
import { Count, Timestamp } from '../kernel/scalars.ts';
import { PlanSummary } from '../plans/summary.ts';
import { runTypes } from '../runs/contract.ts';

/**
 * Kinds of what needs attention, most urgent first: plans and restores that wait for an approval, plans that wait for an
 * apply, late states that wait for a decision, Capsules that failed, Capsules with a failed `check` block, Sources whose last sync failed, Connections that expire soon or have expired,
 * scheduled backups that failed or are overdue, Capsules that are stale.
 */
export const attentionKinds = [
  'approve',
  'apply',
  'late_state',
  'failed',
  'check',
  'source',
  'connection',
  'backup',
  'stale',
] as const;
export type AttentionKind = (typeof attentionKinds)[number];

/** One thing that needs attention. `id` names a Run, late state, Capsule, Source, Connection or Workspace, as the kind says. */
export const AttentionItem = z.strictObject({
  kind: z.enum(attentionKinds),
  id: z.string(),
  at: Timestamp,
  name: z.string().optional(),
  environment: z.string().optional(),
  capsuleId: z.string().optional(),
  runId: z.string().optional(),
  runType: z.enum(runTypes).optional(),
  /** The plan returns to this StateVersion. */
  rollbackStateVersionId: z.string().optional(),
  summary: PlanSummary.optional(),
  errorCode: z.enum(runErrorCodes).optional(),
  /** True for a failed apply that may have left resources outside the state. */
  isBroken: z.boolean().optional(),
  /** Hold of the Capsule. */
  hold: CapsuleHold.optional(),
  /** True when the last scheduled backup that was stored is more than a day and a half old. */
  isOverdue: z.boolean().optional(),
  /** Number of failed `check` blocks. */
  count: Count.optional(),
});
export type AttentionItem = z.infer<typeof AttentionItem>;

/** A Connection needs attention this long before it expires. */
export const expiresSoonMs = 14 * 86_400_000;
