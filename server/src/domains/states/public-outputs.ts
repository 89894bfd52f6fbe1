import type { Json, JsonObject } from '#shared/kernel/json';
import type { OutputType } from '#shared/states/contract';
import { isOfType } from './output-type.ts';

/** What a configuration makes public: all that is shown to the Workspace, or what its list names (shapes 11.1). */
export type OutputRule = {
  all: boolean;
  /** By public name. */
  allowlist?: { [name: string]: { from: string; type: OutputType; sensitive?: boolean | undefined } } | undefined;
};

/**
 * The public Outputs among those that are not sensitive, by their public names. What a list calls sensitive is not public,
 * and neither is a value of another type than it says: who reads it there counts on the type.
 */
export function publicOutputs(shown: JsonObject, { all, allowlist = {} }: OutputRule): JsonObject {
  const listed = Object.entries(allowlist).flatMap(([name, { from, type, sensitive }]): [string, Json][] => {
    const value = Object.hasOwn(shown, from) ? (shown[from] as Json) : undefined;
    return value !== undefined && sensitive !== true && isOfType(value, type) ? [[name, value]] : [];
  });
  return Object.fromEntries([...(all ? Object.entries(shown) : []), ...listed]) as JsonObject;
}
