import type { Json, JsonObject } from '#shared/kernel/json';
import type { OutputType } from '#shared/state-versions/contract';
import { isOfType } from './output-type.ts';

/**
 * Rule for the Outputs that a configuration makes public: all that the Workspace can see, or those that its list names.
 */
export type OutputRule = {
  all: boolean;
  /** By public name. */
  allowlist?: { [name: string]: { from: string; type: OutputType; sensitive?: boolean | undefined } } | undefined;
};

/** Returns public names whose Output exists and may be shown, but has another type than the list declares. */
export const mistypedOutputs = (shown: JsonObject, { allowlist = {} }: OutputRule): string[] =>
  Object.entries(allowlist)
    .filter(([, { from, type, sensitive }]) => {
      const value = Object.hasOwn(shown, from) ? (shown[from] as Json) : undefined;
      return value !== undefined && sensitive !== true && !isOfType(value, type);
    })
    .map(([name]) => name);

/**
 * Returns the public Outputs among those that are not sensitive, by their public names. An Output that a list marks as
 * sensitive is not public. Neither is a value of another type than declared, because its readers rely on the type.
 */
export function publicOutputs(shown: JsonObject, { all, allowlist = {} }: OutputRule): JsonObject {
  const listed = Object.entries(allowlist).flatMap(([name, { from, type, sensitive }]): [string, Json][] => {
    const value = Object.hasOwn(shown, from) ? (shown[from] as Json) : undefined;
    return value !== undefined && sensitive !== true && isOfType(value, type) ? [[name, value]] : [];
  });
  return Object.fromEntries([...(all ? Object.entries(shown) : []), ...listed]) as JsonObject;
}
