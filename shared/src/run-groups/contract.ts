import { z } from 'zod';
import { Timestamp } from '../kernel/scalars.ts';
import { runStatuses } from '../runs/contract.ts';

/**
 * Group types that routes of this version create; `capsule_install`, `capsule_update` and `capsule_destroy` are
 * reserved.
 */
export const runGroupTypes = ['workspace_update', 'workspace_drift_check'] as const;
export type RunGroupType = (typeof runGroupTypes)[number];

/** Runs that belong together: `graphJson` holds the layers of Capsules and the Run of each, as JSON text. */
export const RunGroup = z.strictObject({
  id: z.string(),
  workspaceId: z.string(),
  type: z.enum(runGroupTypes),
  /** Derived from the members. */
  status: z.enum(runStatuses),
  graphJson: z.string(),
  createdAt: Timestamp,
  finishedAt: Timestamp.optional(),
});
export type RunGroup = z.infer<typeof RunGroup>;

/** Content of `graphJson`: Capsules layer by layer, producers first, and the Run of each. */
export const RunGroupGraph = z.strictObject({
  order: z.array(z.array(z.string())),
  runs: z.record(z.string(), z.string()),
});
export type RunGroupGraph = z.infer<typeof RunGroupGraph>;

/** One plan that a request on several refuses, in `details.refusals` of its error. */
export const MemberRefusal = z.strictObject({ runId: z.string(), reason: z.string(), message: z.string() });
export type MemberRefusal = z.infer<typeof MemberRefusal>;
