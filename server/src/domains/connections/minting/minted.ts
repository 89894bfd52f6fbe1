import type { Secret } from '#server/kernel/secret';
import { isJsonObject, type JsonObject, parseStrictJson } from '#shared/kernel/json';

/** Credentials for one Run, by the names that `generated` material refers to; `expiresAt` in ms. */
export type Minted = {
  values: ReadonlyMap<string, Secret>;
  /** Further secrets of the request, which the Run does not get. */
  hidden: readonly Secret[];
  expiresAt: number | undefined;
};

/** Returns the JSON object of an answer, or undefined when it is anything else. */
export function objectIn(body: string): JsonObject | undefined {
  try {
    const value = parseStrictJson(body);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
