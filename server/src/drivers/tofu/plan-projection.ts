import type { Json } from '#shared/kernel/json';
import { compareKinds, isDestructive, isNoOp, kindOf } from '#shared/plans/change';
import type { PlanDocument, PlanOutput, PlanResource } from '#shared/plans/document';
import type { PlanSummary } from '#shared/plans/summary';
import { summarize } from '#shared/plans/totals';
import { changeKey, count, type PlanChanges, toOutputActions, toPlannedEvent } from './plan-agreement.ts';
import { parsePlan, type ToolChange, type ToolPlan, type ToolResource, unreadable } from './plan-members.ts';
import {
  collectMarked,
  createSecretTest,
  type Redaction,
  redactChange,
  redactKeys,
  type SecretTest,
  type Side,
} from './plan-redaction.ts';
import type { Diagnostic } from './types.ts';
import { DepthError } from './value-depth.ts';

export type PlanProjection = {
  summary: PlanSummary;
  /** True when a managed resource is deleted, replaced or forgotten. */
  destructive: boolean;
  /** Every address with an action, each once. */
  addresses: string[];
  document: PlanDocument;
  /** All changes that the stream of the plan reports as well. */
  changes: PlanChanges;
};

type ProjectionOptions = {
  secrets: readonly string[];
  /** Creates the test for copies of the texts that the plan marks as sensitive. The default knows no encodings. */
  createCopyTest?: (marked: Iterable<string>) => SecretTest;
  diagnostics?: readonly Diagnostic[];
  /** Returns a keyed digest of a value that is replaced by a mark. */
  digestOf?: Redaction['digestOf'];
};

/**
 * Projects the text of `show -json` of a plan, once. `secrets` are texts that must not appear in any value. Throws
 * `plan_unreadable` for a text that the tool would not print.
 */
export function projectPlan(showJson: string, options: ProjectionOptions): PlanProjection {
  const plan = parsePlan(showJson);
  try {
    return project(plan, options);
  } catch (error) {
    if (error instanceof DepthError) throw unreadable(error.message, 'Flatten the value and plan again.');
    throw error;
  }
}

function project(plan: ToolPlan, options: ProjectionOptions): PlanProjection {
  const { secrets, createCopyTest = createSecretTest } = options;
  const isSecretOfRun = createSecretTest(secrets);
  const isCopy = createCopyTest(collectMarked(sidesOf(plan)));
  const isSecret: SecretTest = (text) => isSecretOfRun(text) || isCopy(text);
  const rules = { isSecret, digestOf: options.digestOf };
  const known = plan.resources.map((resource) => redactResource(resource, rules));
  const resources = known.filter((resource) => !isPlainNoOp(resource)).sort(compareResources);
  const drift = plan.drift.map((resource) => redactResource(resource, rules));
  const summary = summarize(known);
  const managed = known.filter((resource) => resource.mode === 'managed');
  return {
    summary,
    destructive: managed.some((resource) => isDestructive(kindOf(resource))),
    addresses: [...new Set(resources.map((resource) => resource.address))],
    document: {
      formatVersion: '1',
      toolVersion: plan.toolVersion,
      summary,
      resources,
      outputs: redactOutputs(plan.outputs, rules),
      drift: drift.filter((resource) => !isNoOp(resource)).sort(compareResources),
      diagnostics: [...(options.diagnostics ?? [])],
      resourceCount: resources.length,
      unchangedCount: known.length - resources.length,
    },
    changes: {
      changes: countChanges(resources),
      drift: countChanges(drift),
      outputs: toOutputActions(plan.outputs),
      summary,
    },
  };
}

function countChanges(resources: readonly PlanResource[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const resource of resources) count(counts, changeKey(toPlannedEvent(resource)));
  return counts;
}

/** Returns both sides of every change in the plan. */
const sidesOf = ({ resources, drift, outputs }: ToolPlan): Side[] =>
  [...resources, ...drift, ...outputs].flatMap((change) => [beforeOf(change), afterOf(change)]);

const beforeOf = (change: ToolChange): Side => ({ value: change.before, mask: change.beforeSensitive });
const afterOf = (change: ToolChange): Side => ({ value: change.after, mask: change.afterSensitive });

const redactResource = (resource: ToolResource, rules: Redaction): PlanResource => ({
  ...resource,
  ...redactChange(beforeOf(resource), afterOf(resource), rules),
  afterUnknown: redactKeys(resource.afterUnknown, rules.isSecret),
  beforeSensitive: redactKeys(resource.beforeSensitive, rules.isSecret),
  afterSensitive: redactKeys(resource.afterSensitive, rules.isSecret),
  replacePaths: resource.replacePaths?.map((steps) => redactPath(steps, rules.isSecret)),
  importing: resource.importing && { id: redactId(resource.importing.id, rules.isSecret) },
});

/** A step of a path is the name of an attribute, an index, or a key of a map, which may be secret. */
const redactPath = (steps: Json, isSecret: SecretTest): Json =>
  Array.isArray(steps)
    ? steps.map((step: Json) => (typeof step === 'string' && isSecret(step) ? '[redacted]' : step))
    : steps;

const redactId = (id: string | undefined, isSecret: SecretTest): string | undefined =>
  id !== undefined && isSecret(id) ? '[redacted]' : id;

const redactOutputs = (outputs: ToolPlan['outputs'], rules: Redaction): PlanOutput[] =>
  outputs
    .map((output) => ({
      name: output.name,
      actions: output.actions,
      ...redactChange(beforeOf(output), afterOf(output), rules),
      afterUnknown: redactKeys(output.afterUnknown, rules.isSecret),
      sensitive: output.beforeSensitive === true || output.afterSensitive === true,
    }))
    .filter((output) => !isNoOp(output))
    .sort((left, right) => compare(left.name, right.name));

/** Reports whether a no-op is hidden. One that is moved or imported still changes the state, so it is shown. */
const isPlainNoOp = (resource: PlanResource): boolean =>
  isNoOp(resource) && resource.previousAddress === undefined && resource.importing === undefined;

const compareResources = (left: PlanResource, right: PlanResource): number =>
  compareKinds(kindOf(left), kindOf(right)) ||
  compare(left.address, right.address) ||
  compare(left.deposed ?? '', right.deposed ?? '');

const compare = (left: string, right: string): number => (left < right ? -1 : Number(left > right));
