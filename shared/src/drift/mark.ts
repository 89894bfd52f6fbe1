import { z } from 'zod';
import { Count, Digest, Reason, Timestamp } from '../kernel/scalars.ts';

/** Results that a person reads about. */
export const openDriftStatuses = ['drifted', 'acknowledged', 'failed'] as const;
export const driftStatuses = ['none', ...openDriftStatuses] as const;
export type DriftStatus = (typeof driftStatuses)[number];

/** Result of the newest drift check of a Capsule, or of the apply that followed it. */
export const DriftMark = z.strictObject({
  status: z.enum(driftStatuses),
  checkedAt: Timestamp,
  /** The drift check; for `none` also the apply that ended the drift. */
  runId: z.string(),
  /** Numbers of resources; absent when the check failed. */
  resources: z.strictObject({ changed: Count, deleted: Count }).optional(),
  /** Identifies this drift; an acknowledgement names it. */
  digest: Digest.optional(),
  acknowledged: z.strictObject({ by: z.string(), at: Timestamp, reason: Reason }).optional(),
});
export type DriftMark = z.infer<typeof DriftMark>;
