import { ExactNumber } from '#shared/kernel/exact-number';
import { isJsonObject, type Json } from '#shared/kernel/json';

/**
 * Returns the value of an attribute of dynamic type. A state stores it as `{"value", "type"}`, where `type` is a type of
 * cty in JSON. Undefined for any other value, also for one whose value does not have that type.
 */
export function unwrapDynamic(value: Json): { value: Json } | undefined {
  if (!isJsonObject(value) || Object.keys(value).length !== 2) return undefined;
  const { value: inside, type } = value;
  if (inside === undefined || type === undefined || !conforms(inside, type)) return undefined;
  return { value: inside };
}

function conforms(value: Json, type: Json): boolean {
  if (typeof type === 'string') return conformsToPrimitive(value, type);
  if (!Array.isArray(type)) return false;
  const [kind, inner] = type as readonly (Json | undefined)[];
  if (inner === undefined) return false;
  if (value === null) return typeof kind === 'string' && kinds.includes(kind);
  switch (kind) {
    case 'list':
    case 'set':
      return Array.isArray(value) && value.every((item: Json) => conforms(item, inner));
    case 'map':
      return isJsonObject(value) && Object.values(value).every((item) => conforms(item, inner));
    case 'tuple':
      return isTupleOf(value, inner);
    case 'object':
      return isObjectOf(value, inner);
    default:
      return false;
  }
}

const kinds: readonly string[] = ['list', 'set', 'map', 'tuple', 'object'];

function conformsToPrimitive(value: Json, type: string): boolean {
  if (type === 'string') return value === null || typeof value === 'string';
  if (type === 'bool') return value === null || typeof value === 'boolean';
  return type === 'number' && (value === null || typeof value === 'number' || value instanceof ExactNumber);
}

const isTupleOf = (value: Json, types: Json): boolean =>
  Array.isArray(value) &&
  Array.isArray(types) &&
  value.length === types.length &&
  value.every((item: Json, index) => conforms(item, types[index] as Json));

function isObjectOf(value: Json, types: Json): boolean {
  if (!isJsonObject(value) || !isJsonObject(types)) return false;
  const names = Object.keys(value);
  return (
    names.length === Object.keys(types).length &&
    names.every((name) => Object.hasOwn(types, name) && conforms(value[name] as Json, types[name] as Json))
  );
}
