import { z } from 'zod';
import { AnyJson } from '../kernel/any-json.ts';
import { Count, Timestamp } from '../kernel/scalars.ts';

export const billingModes = ['disabled', 'showback'] as const;
export type BillingMode = (typeof billingModes)[number];

/** A metered use. Prices are in millionths of a US dollar; this server does not rate anything. */
export const UsageEvent = z.strictObject({
  id: z.string(),
  workspaceId: z.string(),
  capsuleId: z.string().optional(),
  runId: z.string().optional(),
  meterId: z.string().optional(),
  resourceFamily: z.string().optional(),
  resourceId: z.string().optional(),
  operation: z.string().optional(),
  resourceMetadata: z.record(z.string(), AnyJson).optional(),
  kind: z.string(),
  quantity: z.number().min(0),
  usdMicros: z.int(),
  ratingStatus: z.enum(['rated', 'unrated']),
  source: z.string(),
  idempotencyKey: z.string(),
  createdAt: Timestamp,
});
export type UsageEvent = z.infer<typeof UsageEvent>;

export const UsageSummary = z.strictObject({
  capsuleId: z.string(),
  usdMicros: z.int(),
  eventCount: Count,
  ratedEventCount: Count,
  unratedEventCount: Count,
});
export type UsageSummary = z.infer<typeof UsageSummary>;

/** Estimated cost of a Run. It never blocks anything. */
export const Cost = z.strictObject({
  runId: z.string(),
  billingMode: z.enum(billingModes),
  estimatedUsdMicros: z.int(),
  ratingStatus: z.enum(['not_applicable', 'rated', 'unrated']),
  blocked: z.boolean(),
  reasons: z.array(z.string()),
  extension: z.record(z.string(), AnyJson).optional(),
});
export type Cost = z.infer<typeof Cost>;
