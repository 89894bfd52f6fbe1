import { z } from 'zod';
import { AnyJson } from '../kernel/any-json.ts';
import { Count, Timestamp } from '../kernel/scalars.ts';
import { PlanOutput, PlanResource } from './document.ts';
import { PlanSummary } from './summary.ts';

/**
 * Difference of the change of a resource, an Output or an input between two plans. `uncertain`: equal as far as it can be
 * compared, because a sensitive value has no digest in one of the plans.
 */
export const differenceKinds = ['added', 'removed', 'changed', 'uncertain'] as const;
export type DifferenceKind = (typeof differenceKinds)[number];
const Difference = z.enum(differenceKinds);

/** The action of one plan on a resource. */
const PlannedAction = PlanResource.pick({
  actions: true,
  actionReason: true,
  previousAddress: true,
  importing: true,
  replacePaths: true,
});

const Sides = z.strictObject({ before: AnyJson, after: AnyJson });

/**
 * A resource that two plans change differently. `before` and `after` are the results of the two plans. For a resource
 * that only one of them changes they are its values before and after that plan. Marks stand for sensitive values and for
 * values that are known after the apply.
 */
export const ComparedResource = PlanResource.pick({
  address: true,
  moduleAddress: true,
  type: true,
  name: true,
  providerName: true,
  mode: true,
  deposed: true,
}).extend({
  difference: Difference,
  earlier: PlannedAction.optional(),
  later: PlannedAction.optional(),
  ...Sides.shape,
  /** Values that the two plans start from; absent where they are equal. */
  start: Sides.optional(),
});
export type ComparedResource = z.infer<typeof ComparedResource>;

export const ComparedOutput = PlanOutput.pick({ name: true, sensitive: true }).extend({
  difference: Difference,
  ...Sides.shape,
});
export type ComparedOutput = z.infer<typeof ComparedOutput>;

/** Origin of the value of a variable in a Run. */
const InputOrigin = z.union([
  z.strictObject({ source: z.literal('configuration') }),
  z.strictObject({ source: z.literal('connection') }),
  z.strictObject({ source: z.literal('issuer') }),
  z.strictObject({ source: z.literal('capsule'), capsuleId: z.string(), outputName: z.string() }),
]);
export type InputOrigin = z.infer<typeof InputOrigin>;

/** One side of a changed variable; no `value` when it is secret. */
const InputSide = z.strictObject({ origin: InputOrigin, value: AnyJson.optional() });
export type InputSide = z.infer<typeof InputSide>;

/** A variable with another value or origin. A side that is absent is the default of the module. */
export const InputDifference = z.strictObject({
  name: z.string(),
  difference: Difference,
  secret: z.boolean(),
  before: InputSide.optional(),
  after: InputSide.optional(),
});
export type InputDifference = z.infer<typeof InputDifference>;

/** A provider configuration with another Connection. A side that is absent has none. */
export const BindingDifference = z.strictObject({
  providerSource: z.string(),
  providerName: z.string(),
  alias: z.string().optional(),
  before: z.string().optional(),
  after: z.string().optional(),
});
export type BindingDifference = z.infer<typeof BindingDifference>;

const InputDifferences = z.strictObject({ inputs: z.array(InputDifference), bindings: z.array(BindingDifference) });
export type InputDifferences = z.infer<typeof InputDifferences>;

/** Differences of the inputs of a plan from those of the last applied plan, or of the previous configuration. */
export const InputChanges = InputDifferences.extend({
  against: z.union([
    z.strictObject({ kind: z.literal('applied'), runId: z.string() }),
    z.strictObject({ kind: z.literal('previous_configuration') }),
    z.strictObject({ kind: z.literal('nothing') }),
  ]),
});
export type InputChanges = z.infer<typeof InputChanges>;

const ComparedPlan = z.strictObject({
  runId: z.string(),
  createdAt: Timestamp,
  resolvedCommit: z.string().optional(),
  summary: PlanSummary,
});

/** The differences of two plans of one Capsule, the earlier one first. */
export const PlanComparison = InputDifferences.extend({
  earlier: ComparedPlan,
  later: ComparedPlan,
  /** Ordered as in a plan: destroys, replaces, forgets, then the rest; each by address. */
  resources: z.array(ComparedResource),
  outputs: z.array(ComparedOutput),
  resourceCount: Count,
  /** Resources that both plans change in the same way. */
  sameCount: Count,
  /** Start of the next page of resources; absent on the last one. */
  nextAfter: Count.optional(),
});
export type PlanComparison = z.infer<typeof PlanComparison>;
