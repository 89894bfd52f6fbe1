import { z } from 'zod';
import { AnyJson } from '../kernel/any-json.ts';
import { Count } from '../kernel/scalars.ts';
import { PlanSummary } from '../runs/contract.ts';
import { Diagnostic } from '../runs/feed.ts';

export const planActions = ['no-op', 'create', 'read', 'update', 'delete', 'forget'] as const;

/** One change of a plan. Sensitive values are replaced by `{"$svc":"sensitive"}`. */
export const PlanResource = z.strictObject({
  address: z.string(),
  moduleAddress: z.string().optional(),
  type: z.string(),
  name: z.string(),
  providerName: z.string(),
  mode: z.enum(['managed', 'data']),
  actions: z.array(z.enum(planActions)),
  actionReason: z.string().optional(),
  before: AnyJson,
  after: AnyJson,
  afterUnknown: AnyJson,
  beforeSensitive: AnyJson,
  afterSensitive: AnyJson,
  replacePaths: z.array(AnyJson).optional(),
  previousAddress: z.string().optional(),
  importing: z.strictObject({ id: z.string().optional() }).optional(),
  deposed: z.string().optional(),
});
export type PlanResource = z.infer<typeof PlanResource>;

export const PlanOutput = z.strictObject({
  name: z.string(),
  actions: z.array(z.enum(planActions)),
  before: AnyJson,
  after: AnyJson,
  afterUnknown: AnyJson,
  sensitive: z.boolean(),
});

export const PlanDocument = z.strictObject({
  formatVersion: z.literal('1'),
  toolVersion: z.string(),
  summary: PlanSummary,
  resources: z.array(PlanResource),
  outputs: z.array(PlanOutput),
  drift: z.array(PlanResource),
  diagnostics: z.array(Diagnostic),
  resourceCount: Count,
  unchangedCount: Count,
  nextAfter: Count.optional(),
});
export type PlanDocument = z.infer<typeof PlanDocument>;
