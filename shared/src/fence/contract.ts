import { z } from 'zod';
import { Count, Timestamp } from '../kernel/scalars.ts';

/**
 * `off` without a fence in the settings; `held` when the fence names this server; `lost` when it names another one, so
 * that this server is read-only; `unknown` when the bucket does not confirm either.
 */
export const fenceStatuses = ['off', 'held', 'lost', 'unknown'] as const;
export type FenceStatus = (typeof fenceStatuses)[number];

/** The server that a fence names. `term` grows by one each time another server takes the fence. */
export const FenceHolder = z.strictObject({ serverId: z.string(), term: Count, takenAt: Timestamp });
export type FenceHolder = z.infer<typeof FenceHolder>;

export const Fence = z.strictObject({
  status: z.enum(fenceStatuses),
  /** `s3://BUCKET/KEY` of the object, or `nats://STREAM/KEY`; absent without a fence. */
  location: z.string().optional(),
  /** Id of this server. A restored copy of its data folder gets another one. */
  serverId: z.string().optional(),
  holder: FenceHolder.optional(),
  /** Time of the newest answer of the bucket. */
  checkedAt: Timestamp.optional(),
  /** Reason of `lost` and `unknown`, as a sentence. */
  message: z.string().optional(),
});
export type Fence = z.infer<typeof Fence>;
