import { isContainer, type Json, type JsonObject } from '#shared/kernel/json';
import { replaceParts } from '#shared/plans/marks';
import { sensitiveMark } from '#shared/vendor';
import { type Digest, isStoredMark } from './digest.ts';

/** Returns a value with the marks that readers know, without their digests. */
export const withoutDigests = (value: Json): Json =>
  replaceParts(value, (part) => (isStoredMark(part) ? sensitiveMark : undefined));

/** Returns the later value of two. A mark states whether the value differs from the one before, as in a plan. */
export function withChanges(after: Json, before: Json | undefined, digest: Digest): Json {
  if (isStoredMark(after)) {
    const isSame = before !== undefined && digest(before) === after.digest;
    return isSame ? sensitiveMark : { ...sensitiveMark, changed: true };
  }
  if (!isContainer(after)) return after;
  const memberOf = (key: string): Json | undefined =>
    isContainer(before) && Object.hasOwn(before, key) ? (before as JsonObject)[key] : undefined;
  if (Array.isArray(after)) return after.map((item: Json, index) => withChanges(item, memberOf(String(index)), digest));
  return Object.fromEntries(
    Object.entries(after).map(([key, item]) => [key, withChanges(item, memberOf(key), digest)]),
  );
}
