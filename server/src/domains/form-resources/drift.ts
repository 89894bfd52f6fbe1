import { isDeepStrictEqual } from 'node:util';
import { escapePointer, isContainer, isJsonObject, type Json, type JsonObject } from '#shared/kernel/json';
import { formHostLimits } from '#shared/limits';

/**
 * Returns the JSON Pointers (RFC 6901) at which two objects differ, sorted: the deepest members of objects, and lists
 * and scalars as a whole. Where they are too many, it names the members at the top, or the whole object.
 */
export function differingFields(desired: JsonObject, native: JsonObject): string[] {
  const fields = [...differences(desired, native, '')].sort();
  if (fields.length <= formHostLimits.driftedFields) return fields;
  const members = [...new Set(fields.map((pointer) => `/${pointer.split('/')[1]}`))];
  return members.length <= formHostLimits.driftedFields ? members : [''];
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
