import { z } from 'zod';
import { Timestamp } from '../kernel/scalars.ts';

/** One row of the operation history: who did what to which record, without values. */
export const ActivityEvent = z.strictObject({
  id: z.string(),
  workspaceId: z.string(),
  actorId: z.string().optional(),
  action: z.string(),
  targetType: z.string(),
  targetId: z.string(),
  runId: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()),
  createdAt: Timestamp,
});
export type ActivityEvent = z.infer<typeof ActivityEvent>;
