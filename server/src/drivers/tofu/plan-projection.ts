import type { Json, JsonObject } from '#shared/kernel/json';
import { shapesOf } from './json-shape.ts';
import { changeKey, count, type PlanChanges, toOutputActions, toPlannedEvent } from './plan-agreement.ts';
import { parsePlan, unreadable } from './plan-members.ts';
import {
  collectMarked,
  createSecretTest,
  DepthError,
  redactChange,
  redactKeys,
  type SecretTest,
  type Side,
} from './plan-redaction.ts';
import type { Diagnostic, PlanSummary } from './types.ts';

const { list, record } = shapesOf(unreadable);

export type PlannedAction = 'no-op' | 'create' | 'read' | 'update' | 'delete' | 'forget';

export type PlannedResource = {
  address: string;
  moduleAddress?: string;
  type: string;
  name: string;
  providerName: string;
  mode: 'managed' | 'data';
  /** A replace has two: `delete` and `create` in the order they happen. */
  actions: PlannedAction[];
  actionReason?: string;
  before: Json;
  after: Json;
  afterUnknown: Json;
  beforeSensitive: Json;
  afterSensitive: Json;
  /** Paths of the attributes that force a replace. */
  replacePaths?: Json;
  previousAddress?: string;
  importing?: { id?: string };
  deposed?: string;
};

export type PlannedOutput = {
  name: string;
  actions: PlannedAction[];
  before: Json;
  after: Json;
  afterUnknown: Json;
  sensitive: boolean;
};

/** Part of a plan that is stored and shown to people. It holds no sensitive value and no secret material of its Run. */
export type PlanDocument = {
  formatVersion: '1';
  toolVersion: string;
  summary: PlanSummary;
  /** Destroys, replaces, forgets, then the rest; each by address. */
  resources: PlannedResource[];
  outputs: PlannedOutput[];
  drift: PlannedResource[];
  diagnostics: Diagnostic[];
  resourceCount: number;
  /** Resources that the plan does not change; they are only counted. */
  unchangedCount: number;
};

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

type ProjectionOptions = { secrets: readonly string[]; diagnostics?: readonly Diagnostic[] };

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

function project(plan: JsonObject, options: ProjectionOptions): PlanProjection {
  const isSecret = createSecretTest([...options.secrets, ...collectMarked(sidesOf(plan))]);
  const known = readResources(plan.resource_changes, isSecret);
  const resources = known.filter((resource) => !isPlainNoOp(resource)).sort(byWeightAndAddress);
  const drift = readResources(plan.resource_drift, isSecret);
  const summary = summarize(known);
  const managed = known.filter((resource) => resource.mode === 'managed');
  return {
    summary,
    destructive: managed.some(({ actions }) => actions.includes('delete') || actions.includes('forget')),
    addresses: [...new Set(resources.map((resource) => resource.address))],
    document: {
      formatVersion: '1',
      toolVersion: text(plan.terraform_version) ?? '',
      summary,
      resources,
      outputs: readOutputs(record(plan.output_changes ?? {}), isSecret),
      drift: drift
        .filter((change) => change !== undefined && !isNoOp(change))
        .sort(byWeightAndAddress) as PlannedResource[],
      diagnostics: [...(options.diagnostics ?? [])],
      resourceCount: resources.length,
      unchangedCount: known.length - resources.length,
    },
    changes: {
      changes: countChanges(resources),
      drift: countChanges(drift),
      outputs: toOutputActions(record(plan.output_changes ?? {})),
      summary,
    },
  };
}

function countChanges(resources: readonly PlannedResource[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const resource of resources) count(counts, changeKey(toPlannedEvent(resource)));
  return counts;
}

const readResources = (items: Json | undefined, isSecret: SecretTest): PlannedResource[] =>
  list(items).flatMap((item) => readResource(record(item), isSecret) ?? []);

/** Returns both sides of every change in the plan. */
function sidesOf(plan: JsonObject): Side[] {
  const resources = [...list(plan.resource_changes), ...list(plan.resource_drift)].map((item) =>
    record(record(item).change),
  );
  const outputs = Object.values(record(plan.output_changes ?? {})).map(record);
  return [...resources, ...outputs].flatMap((change) => [
    { value: change.before, mask: change.before_sensitive },
    { value: change.after, mask: change.after_sensitive },
  ]);
}

/** Reads a resource; undefined for an ephemeral resource, which changes nothing. */
function readResource(item: JsonObject, isSecret: SecretTest): PlannedResource | undefined {
  const { mode } = item;
  if (mode === 'ephemeral') return undefined;
  if (mode !== 'managed' && mode !== 'data') throw unreadable('has a change of a kind that is not shown yet');
  const change = record(item.change);
  const sensitive = { before: change.before_sensitive ?? false, after: change.after_sensitive ?? false };
  const redacted = redactChange(
    { value: change.before, mask: sensitive.before },
    { value: change.after, mask: sensitive.after },
    isSecret,
  );
  return {
    address: required(item.address),
    type: required(item.type),
    name: required(item.name),
    providerName: text(item.provider_name) ?? '',
    mode,
    actions: readActions(change.actions),
    ...redacted,
    afterUnknown: redactKeys(change.after_unknown, isSecret),
    beforeSensitive: redactKeys(sensitive.before, isSecret),
    afterSensitive: redactKeys(sensitive.after, isSecret),
    ...optional(item, change, isSecret),
  };
}

type Optional = Pick<
  PlannedResource,
  'moduleAddress' | 'actionReason' | 'replacePaths' | 'previousAddress' | 'importing' | 'deposed'
>;

function optional(item: JsonObject, change: JsonObject, isSecret: SecretTest): Optional {
  const fields: Optional = {};
  const moduleAddress = text(item.module_address);
  if (moduleAddress !== undefined) fields.moduleAddress = moduleAddress;
  const actionReason = text(item.action_reason);
  if (actionReason !== undefined) fields.actionReason = actionReason;
  const previousAddress = text(item.previous_address);
  if (previousAddress !== undefined) fields.previousAddress = previousAddress;
  const deposed = text(item.deposed);
  if (deposed !== undefined) fields.deposed = deposed;
  if (Array.isArray(change.replace_paths)) fields.replacePaths = change.replace_paths;
  if (change.importing !== undefined && change.importing !== null) {
    const id = text(record(change.importing).id);
    fields.importing = id === undefined ? {} : { id: isSecret(id) ? '[redacted]' : id };
  }
  return fields;
}

function readOutputs(outputs: JsonObject, isSecret: SecretTest): PlannedOutput[] {
  const read = Object.entries(outputs).map(([name, item]) => {
    const change = record(item);
    const before = { value: change.before, mask: change.before_sensitive };
    const after = { value: change.after, mask: change.after_sensitive };
    return {
      name,
      actions: readActions(change.actions),
      ...redactChange(before, after, isSecret),
      afterUnknown: redactKeys(change.after_unknown, isSecret),
      sensitive: before.mask === true || after.mask === true,
    };
  });
  return read.filter((output) => !isNoOp(output)).sort((left, right) => compare(left.name, right.name));
}

const knownActions: ReadonlySet<string> = new Set(['no-op', 'create', 'read', 'update', 'delete', 'forget']);

function readActions(value: Json | undefined): PlannedAction[] {
  const actions = list(value);
  if (actions.length === 0 || !actions.every((action) => typeof action === 'string' && knownActions.has(action)))
    throw unreadable('has a change with an action that is not known');
  return actions as PlannedAction[];
}

/** Counts as the tool does: a replace adds and destroys, data sources do not count. */
function summarize(resources: readonly PlannedResource[]): PlanSummary {
  const managed = resources.filter((resource) => resource.mode === 'managed');
  const count = (action: PlannedAction) => managed.filter(({ actions }) => actions.includes(action)).length;
  const imported = managed.filter((resource) => resource.importing !== undefined).length;
  const forgotten = count('forget');
  return {
    add: count('create'),
    change: count('update'),
    destroy: count('delete'),
    ...(imported > 0 ? { import: imported } : {}),
    ...(forgotten > 0 ? { forget: forgotten } : {}),
  };
}

const isNoOp = ({ actions }: { actions: readonly PlannedAction[] }): boolean =>
  actions.every((action) => action === 'no-op');

/** Reports whether a no-op is hidden. One that is moved or imported still changes the state, so it is shown. */
const isPlainNoOp = (resource: PlannedResource): boolean =>
  isNoOp(resource) && resource.previousAddress === undefined && resource.importing === undefined;

function weigh({ actions }: PlannedResource): number {
  if (actions.includes('delete')) return actions.includes('create') ? 1 : 0;
  return actions.includes('forget') ? 2 : 3;
}

const byWeightAndAddress = (left: PlannedResource, right: PlannedResource): number =>
  weigh(left) - weigh(right) ||
  compare(left.address, right.address) ||
  compare(left.deposed ?? '', right.deposed ?? '');

const compare = (left: string, right: string): number => (left < right ? -1 : Number(left > right));

const text = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

function required(value: Json | undefined): string {
  const content = text(value);
  if (content === undefined) throw unreadable('has a change without an address');
  return content;
}
