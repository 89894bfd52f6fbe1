import type { Json, JsonObject } from '#shared/kernel/json';
import type { OutputType } from '#shared/state-versions/contract';
import { isOfType } from './output-type.ts';

/** What a configuration makes public: all that is shown to the Workspace, or what its list names (shapes 11.1). */
export type OutputRule = {
  all: boolean;
  /** By public name. */
  allowlist?: { [name: string]: { from: string; type: OutputType; sensitive?: boolean | undefined } } | undefined;
};

/** Public names whose Output exists and may be shown, but has another type than the list declares. */
export const mistypedOutputs = (shown: JsonObject, { allowlist = {} }: OutputRule): string[] =>
  Object.entries(allowlist)
    .filter(([, { from, type, sensitive }]) => {
      const value = Object.hasOwn(shown, from) ? (shown[from] as Json) : undefined;
      return value !== undefined && sensitive !== true && !isOfType(value, type);
    })
    .map(([name]) => name);

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
