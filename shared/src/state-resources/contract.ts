import { z } from 'zod';
import { AnyJson } from '../kernel/any-json.ts';
import { Count, Timestamp } from '../kernel/scalars.ts';
import { PlanOutput, PlanResource } from '../plans/document.ts';

/**
 * Knowledge about the resources of a StateVersion. `pending`: the values are being read and appear shortly.
 * `addresses_only`: no value is shown, because which of them are secret is not known.
 */
export const ProjectionStatus = z.enum(['ready', 'pending', 'addresses_only']);
export type ProjectionStatus = z.infer<typeof ProjectionStatus>;

/**
 * Reason for `addresses_only`. `earlier_version`: the state was committed by a version of the server that kept no
 * values, or was imported. `unreadable`: the state has values that cannot be shown, such as very deep ones.
 */
export const ProjectionReason = z.enum(['earlier_version', 'unreadable']);
export type ProjectionReason = z.infer<typeof ProjectionReason>;

export const Projection = z.strictObject({ status: ProjectionStatus, reason: ProjectionReason.optional() });
export type Projection = z.infer<typeof Projection>;

/** One object of a state. Sensitive values are replaced by `{"$svc":"sensitive"}`. */
export const StateResource = z.strictObject({
  address: z.string(),
  /** Absent in the root module. */
  moduleAddress: z.string().optional(),
  mode: z.enum(['managed', 'data']),
  type: z.string(),
  name: z.string(),
  /** Key of the instance with `count` or `for_each`. */
  index: z.union([z.string(), z.number()]).optional(),
  providerName: z.string(),
  /** Absent when no value is shown. */
  attributes: AnyJson.optional(),
  /** Key of an object that a replace left behind. */
  deposed: z.string().optional(),
  /** The next plan replaces the object. */
  tainted: z.literal(true).optional(),
  dependsOn: z.array(z.string()).optional(),
});
export type StateResource = z.infer<typeof StateResource>;

/** Number of objects in one module, without those of the modules that it calls. */
export const ModuleCount = z.strictObject({
  /** Absent for the root module. */
  moduleAddress: z.string().optional(),
  count: Count,
});
export type ModuleCount = z.infer<typeof ModuleCount>;

/** Result of one condition of the configuration: a `check` block, or a condition of a resource, Output or variable. */
export const CheckResult = z.strictObject({
  kind: z.enum(['check', 'resource', 'output', 'variable']),
  address: z.string(),
  status: z.enum(['pass', 'fail', 'error', 'unknown']),
  /** Messages of the conditions that failed. */
  messages: z.array(z.string()),
});
export type CheckResult = z.infer<typeof CheckResult>;

/** One side of a comparison. */
export const ComparedState = z.strictObject({ stateVersionId: z.string(), generation: Count, projection: Projection });
export type ComparedState = z.infer<typeof ComparedState>;

/**
 * A difference of two states, in the form of a change of a plan. `before` and `after` are null where the object does not
 * exist. A sensitive value that differs is `{"$svc":"sensitive","changed":true}` in `after`.
 */
export const StateChange = PlanResource;
export type StateChange = z.infer<typeof StateChange>;
/** Difference of one Output. The values of a sensitive one are never shown. */
export const StateOutputChange = PlanOutput;
export type StateOutputChange = z.infer<typeof StateOutputChange>;

/** `forgotten` objects leave the state and continue to exist. */
export const resourceChangeKinds = ['created', 'changed', 'moved', 'replaced', 'deleted', 'forgotten'] as const;
export const ResourceChangeKind = z.enum(resourceChangeKinds);
export type ResourceChangeKind = z.infer<typeof ResourceChangeKind>;

/** One change in the history of a resource. */
export const ResourceHistoryEntry = z.strictObject({
  generation: Count,
  stateVersionId: z.string(),
  /** Apply that made the change. */
  runId: z.string(),
  /** Plan that was reviewed for it. */
  planRunId: z.string().optional(),
  sourceSnapshotId: z.string().optional(),
  ref: z.string().optional(),
  resolvedCommit: z.string().optional(),
  /** Account that started the apply, as in a Run. */
  createdBy: z.string(),
  createdAt: Timestamp,
  change: ResourceChangeKind,
  address: z.string(),
  /** Address before the change, when the object was moved with it. */
  previousAddress: z.string().optional(),
});
export type ResourceHistoryEntry = z.infer<typeof ResourceHistoryEntry>;
