import { parseExactly } from '#shared/kernel/exact-number';
import { isContainer, type Json, type JsonObject } from '#shared/kernel/json';
import { isPlanAction, type PlanAction } from '#shared/plans/change';
import type { PlanResource } from '#shared/plans/document';
import { TofuError } from './error.ts';
import { shapesOf } from './json-shape.ts';

/**
 * Creates the error for a plan that cannot be shown. `what` continues "The tool's description of the plan", `remedy`
 * says what to do.
 */
export const unreadable = (what: string, remedy = 'Plan again.'): TofuError =>
  new TofuError('plan_unreadable', `The tool's description of the plan ${what}. ${remedy}`);

const { list, record } = shapesOf(unreadable);

/**
 * Members of `show -json` of a plan that are shown, or that change nothing themselves
 * (https://opentofu.org/docs/internals/json-format/). Deferred changes and action invocations are not included: a plan
 * that does more than is shown cannot be reviewed.
 */
const knownMembers: ReadonlySet<string> = new Set([
  ...['format_version', 'terraform_version', 'timestamp', 'applyable', 'complete', 'errored'],
  ...['variables', 'configuration', 'prior_state', 'planned_values', 'relevant_attributes', 'checks'],
  ...['resource_changes', 'resource_drift', 'output_changes'],
]);

const isEmpty = (member: Json): boolean =>
  member === null || member === false || (isContainer(member) && Object.keys(member).length === 0);

const quoted = (name: string): string => JSON.stringify(name.slice(0, 64));

/** Both sides of a change, in the names of the tool. */
export type ToolChange = {
  actions: PlanAction[];
  before: Json | undefined;
  after: Json | undefined;
  afterUnknown: Json | undefined;
  beforeSensitive: Json | undefined;
  afterSensitive: Json | undefined;
};

export type ToolResource = ToolChange & Omit<PlanResource, keyof ToolChange>;

/** Changes of a plan, with the values as the tool wrote them. */
export type ToolPlan = {
  toolVersion: string;
  resources: readonly ToolResource[];
  drift: readonly ToolResource[];
  outputs: readonly (ToolChange & { name: string })[];
};

/** Parses the text of `show -json` of a plan. Throws `plan_unreadable`. */
export function parsePlan(showJson: string): ToolPlan {
  const plan = readMembers(showJson);
  return {
    toolVersion: optionalText(plan['terraform_version']) ?? '',
    resources: list(plan['resource_changes']).flatMap((item) => readResource(record(item)) ?? []),
    drift: list(plan['resource_drift']).flatMap((item) => readResource(record(item)) ?? []),
    outputs: Object.entries(record(plan['output_changes'] ?? {})).map(([name, item]) => ({
      name,
      ...readChange(record(item)),
    })),
  };
}

function readMembers(showJson: string): JsonObject {
  let value: Json;
  try {
    value = parseExactly(showJson) as Json;
  } catch {
    throw unreadable('is not JSON');
  }
  const plan = record(value);
  const { format_version: version } = plan;
  if (typeof version !== 'string' || !/^1\.\d+$/.test(version))
    throw unreadable('is in a format this version does not know');
  for (const [name, member] of Object.entries(plan))
    if (!knownMembers.has(name) && !isEmpty(member))
      throw unreadable(`has ${quoted(name)}, which is not shown yet`, 'Plan the module without it.');
  return plan;
}

/** Reads a resource; undefined for an ephemeral resource, which changes nothing. */
function readResource(item: JsonObject): ToolResource | undefined {
  const { mode } = item;
  if (mode === 'ephemeral') return undefined;
  if (mode !== 'managed' && mode !== 'data') throw unreadable('has a change of a kind that is not shown yet');
  const change = record(item['change']);
  const { replace_paths: replacePaths } = change;
  return {
    address: requiredText(item['address']),
    moduleAddress: optionalText(item['module_address']),
    type: requiredText(item['type']),
    name: requiredText(item['name']),
    providerName: optionalText(item['provider_name']) ?? '',
    mode,
    ...readChange(change),
    actionReason: optionalText(item['action_reason']),
    replacePaths: Array.isArray(replacePaths) ? [...replacePaths] : undefined,
    previousAddress: optionalText(item['previous_address']),
    importing: readImport(change['importing']),
    deposed: optionalText(item['deposed']),
  };
}

const readChange = (change: JsonObject): ToolChange => ({
  actions: readActions(change['actions']),
  before: change['before'],
  after: change['after'],
  afterUnknown: change['after_unknown'],
  beforeSensitive: change['before_sensitive'],
  afterSensitive: change['after_sensitive'],
});

function readActions(value: Json | undefined): PlanAction[] {
  const items = list(value);
  const actions = items.filter(isPlanAction);
  if (actions.length === 0 || actions.length < items.length)
    throw unreadable('has a change with an action that is not known');
  return actions;
}

const readImport = (value: Json | undefined): PlanResource['importing'] =>
  value === undefined || value === null ? undefined : { id: optionalText(record(value)['id']) };

/** Returns a text, or undefined where the tool has none: it leaves the member out, or writes null or an empty text. */
const optionalText = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

function requiredText(value: Json | undefined): string {
  const text = optionalText(value);
  if (text === undefined) throw unreadable('has a change without an address');
  return text;
}
