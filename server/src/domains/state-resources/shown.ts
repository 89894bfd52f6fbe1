import { isContainer, type Json, type JsonObject } from '#shared/kernel/json';
import { sensitiveMark } from '#shared/vendor';
import { type Digest, isStoredMark } from './digest.ts';

/** Returns a value with the marks that readers know, without their digests. */
export function withoutDigests(value: Json): Json {
  if (isStoredMark(value)) return sensitiveMark;
  if (!isContainer(value)) return value;
  if (Array.isArray(value)) return value.map((item: Json) => withoutDigests(item));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutDigests(item)]));
}

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
