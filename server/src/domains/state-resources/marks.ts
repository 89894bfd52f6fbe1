import type { MarkStep } from '#server/drivers/tofu/index';
import { isContainer, isJsonObject, type Json } from '#shared/kernel/json';

/** Sensitive parts of a value: all of it, or members that lead to them. */
export type Mask = true | ReadonlyMap<string, Mask>;
type OpenMask = true | Map<string, OpenMask>;

/** Returns the mask of all marked paths; undefined when nothing is marked. */
export function maskOf(value: Json, marks: readonly (readonly MarkStep[])[]): Mask | undefined {
  let mask: OpenMask | undefined;
  for (const steps of marks) for (const path of resolveMark(value, steps)) mask = include(mask, path);
  return mask;
}

/** Adds a path to a mask. What is masked already stays masked. */
function include(mask: OpenMask | undefined, [key, ...rest]: readonly string[]): OpenMask {
  if (mask === true || key === undefined) return true;
  const members = mask ?? new Map<string, OpenMask>();
  members.set(key, include(members.get(key), rest));
  return members;
}

/**
 * Returns the locations that a marked path means. An attribute of dynamic type is stored as `{"value", "type"}`, and its
 * path skips `value`. Ordinary objects may have these members too, so where both readings are possible both locations
 * are returned. A path that does not resolve means its nearest ancestor that does.
 */
function resolveMark(root: Json, steps: readonly MarkStep[]): string[][] {
  const found: string[][] = [];
  const seen = new Map<Json, Set<number>>();
  const visit = (value: Json, index: number, path: readonly string[]): void => {
    // A step can be read in two ways at each level, so without this check the readings would multiply.
    if (isContainer(value)) {
      const visited = seen.get(value) ?? new Set();
      if (visited.has(index)) return;
      seen.set(value, visited.add(index));
    }
    if (index === steps.length) return void found.push([...path]);
    const child = childOf(value, steps[index]);
    const inside = dynamicValueOf(value);
    if (child !== undefined) visit(child, index + 1, [...path, String(steps[index])]);
    if (inside !== undefined) visit(inside, index, [...path, 'value']);
    if (child === undefined && inside === undefined) found.push([...path]);
  };
  visit(root, 0, []);
  return found;
}

function dynamicValueOf(value: Json): Json | undefined {
  if (!isJsonObject(value) || Object.keys(value).length !== 2) return undefined;
  return Object.hasOwn(value, 'value') && Object.hasOwn(value, 'type') ? value['value'] : undefined;
}

export function childOf(value: Json, step: MarkStep): Json | undefined {
  if (step === undefined || !isContainer(value)) return undefined;
  if (Array.isArray(value)) return /^\d+$/.test(String(step)) ? value[Number(step)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}
