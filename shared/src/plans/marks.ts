import { isContainer, isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';
import { sensitiveMark, unknownMark } from '../vendor.ts';

/** Member of a mark with the keyed digest of its value. It is removed before a plan is stored. */
export const digestMember = 'digest';

const [[markKey, sensitiveValue]] = Object.entries(sensitiveMark) as [[string, string]];
const [[, unknownValue]] = Object.entries(unknownMark) as [[string, string]];
/** Members of the mark of a sensitive value, with their types. `changed` and `comparable` state how it differs. */
const members: Readonly<Record<string, string>> = {
  [markKey]: 'string',
  changed: 'boolean',
  comparable: 'boolean',
  [digestMember]: 'string',
};

/**
 * Reports whether a value is the mark of a sensitive one. A value with any other member is a value of the module, and is
 * shown as such: it must not hide behind a mark.
 */
export const isSensitiveMark = (value: Json | undefined): value is JsonObject =>
  isJsonObject(value) &&
  value[markKey] === sensitiveValue &&
  Object.entries(value).every(([key, member]) => Object.hasOwn(members, key) && typeof member === members[key]);

/** Reports whether a value is the mark of one that is known after the apply. */
export const isUnknownMark = (value: Json | undefined): boolean =>
  isJsonObject(value) && value[markKey] === unknownValue && Object.keys(value).length === 1;

/** Returns a value whose parts are replaced where the function returns another one; a replaced part is not searched. */
export function replaceParts(value: Json, replace: (part: Json) => Json | undefined): Json {
  const replaced = replace(value);
  if (replaced !== undefined) return replaced;
  if (!isContainer(value)) return value;
  if (Array.isArray(value)) return value.map((item: Json) => replaceParts(item, replace));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceParts(item as Json, replace)]));
}
