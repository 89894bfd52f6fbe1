import { isDeepStrictEqual } from 'node:util';
import { escapePointer, isContainer, isJsonObject, type Json, type JsonObject } from '#shared/kernel/json';

/**
 * Returns the JSON Pointers (RFC 6901) at which two objects differ, sorted: the deepest members of objects, and lists
 * and scalars as a whole.
 */
export function differingFields(desired: JsonObject, native: JsonObject): string[] {
  return [...differences(desired, native, '')].sort();
}

function* differences(left: Json | undefined, right: Json | undefined, pointer: string): Generator<string> {
  if (!isJsonObject(left) || !isJsonObject(right)) {
    if (left === undefined || right === undefined || !isSame(left, right)) yield pointer;
    return;
  }
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const of = (object: JsonObject) => (Object.hasOwn(object, key) ? object[key] : undefined);
    yield* differences(of(left), of(right), `${pointer}/${escapePointer(key)}`);
  }
}

const isSame = (left: Json, right: Json): boolean =>
  isContainer(left) || isContainer(right)
    ? isDeepStrictEqual(left, right)
    : String(left) === String(right) && typeof left === typeof right;
