import { parseExactly } from '#shared/kernel/exact-number';
import { isContainer, type Json, type JsonObject } from '#shared/kernel/json';
import { TofuError } from './error.ts';
import { shapesOf } from './json-shape.ts';

/**
 * Creates the error for a plan that cannot be shown. `what` continues "The tool's description of the plan", `remedy`
 * says what to do.
 */
export const unreadable = (what: string, remedy = 'Plan again.'): TofuError =>
  new TofuError('plan_unreadable', `The tool's description of the plan ${what}. ${remedy}`);
const { record } = shapesOf(unreadable);

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

/** Returns the members of a plan from the text of `show -json`. Throws `plan_unreadable`. */
export function parsePlan(showJson: string): JsonObject {
  let value: Json;
  try {
    value = parseExactly(showJson) as Json;
  } catch {
    throw unreadable('is not JSON');
  }
  const plan = record(value);
  if (typeof plan.format_version !== 'string' || !/^1\.\d+$/.test(plan.format_version))
    throw unreadable('is in a format this version does not know');
  for (const [name, member] of Object.entries(plan))
    if (!knownMembers.has(name) && !isEmpty(member))
      throw unreadable(`has ${quoted(name)}, which is not shown yet`, 'Plan the module without it.');
  return plan;
}
