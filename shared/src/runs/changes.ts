import { z } from 'zod';
import { Count, Timestamp } from '../kernel/scalars.ts';
import { PlanSummary } from '../plans/summary.ts';
import { runStatuses, runTypes } from './contract.ts';

/**
 * Causes of a Run, as far as the ledger knows them. A `person`, an `install_link` and a `token` act for the
 * account in `createdBy`.
 */
export const runTriggers = [
  'person',
  'install_link',
  'token',
  'schedule',
  'webhook',
  'auto_update',
  'operator',
] as const;
export type RunTrigger = (typeof runTriggers)[number];

const shared = { trigger: z.enum(runTriggers).optional() };

/** A plan with its apply, or any other Run. */
const RunChange = z.strictObject({
  kind: z.literal('run'),
  runId: z.string(),
  applyRunId: z.string().optional(),
  /** Objects that the apply created, changed and destroyed. Absent when it reported none and did not succeed. */
  applied: PlanSummary.optional(),
  ...shared,
});

/** A RunGroup as one row. */
const GroupChange = z.strictObject({
  kind: z.literal('group'),
  runGroupId: z.string(),
  /** Type of its plans: `plan` for an update, `drift_check` for drift checks. */
  type: z.enum(runTypes),
  /** Derived from the members. */
  status: z.enum(runStatuses),
  createdBy: z.string(),
  createdAt: Timestamp,
  members: z.strictObject({ total: Count, waiting: Count, failed: Count, succeeded: Count, applied: Count }),
  /** Sum of what its applies created, changed and destroyed. */
  applied: PlanSummary.optional(),
  ...shared,
});

/** One row of the list of changes; `runs` of the answer has the Runs that it names. */
export const RunListChange = z.discriminatedUnion('kind', [RunChange, GroupChange]);
export type RunListChange = z.infer<typeof RunListChange>;
export type RunChange = z.infer<typeof RunChange>;
export type GroupChange = z.infer<typeof GroupChange>;
