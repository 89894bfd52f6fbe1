import { ExactNumber } from '../kernel/exact-number.ts';
import { escapePointer, isContainer, isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';
import type { ObjectAttribute, VariableType } from './type-expression.ts';

/**
 * `pointer` is a JSON Pointer (RFC 6901) to the first location that does not fit; `message` never contains the value.
 */
type ValueCheck = { ok: true } | { ok: false; pointer: string; message: string };

const fits: ValueCheck = { ok: true };
const wrong = (pointer: string, message: string): ValueCheck => ({ ok: false, pointer, message });

/** Returns the name of the type in a sentence. */
function describeType(type: VariableType): string {
  switch (type.kind) {
    case 'string':
      return 'a text';
    case 'number':
      return 'a number';
    case 'bool':
      return 'true or false';
    case 'any':
      return 'any value';
    case 'list':
    case 'set':
      return 'a list';
    case 'map':
      return 'a map from names to values';
    case 'object':
      return 'an object';
    case 'tuple':
      return `a list of ${type.elements.length} values`;
  }
}

/**
 * Checks whether the tool would accept the value for a variable of this type. The tool converts between texts, numbers
 * and booleans, ignores members that an object type does not name, and accepts null except for a variable that is not
 * nullable.
 */
export function checkValue(type: VariableType, value: Json, options: { nullable: boolean }): ValueCheck {
  if (value !== null) return checkInner(type, value, '');
  return options.nullable ? fits : wrong('', `${capital(describeType(type))} is expected; null is not allowed here.`);
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

function checkInner(type: VariableType, value: Json, pointer: string): ValueCheck {
  if (value === null || type.kind === 'any') return fits;
  switch (type.kind) {
    case 'string':
      return isContainer(value) ? unexpected(type, pointer) : fits;
    case 'number':
      return isNumeric(value) ? fits : unexpected(type, pointer);
    case 'bool':
      return isBoolean(value) ? fits : unexpected(type, pointer);
    case 'list':
    case 'set':
    case 'tuple':
      return isList(value) ? checkList(type, value, pointer) : unexpected(type, pointer);
    case 'map':
      return isJsonObject(value) ? checkMembers(type.element, value, pointer) : unexpected(type, pointer);
    case 'object':
      return isJsonObject(value) ? checkAttributes(type.attributes, value, pointer) : unexpected(type, pointer);
  }
}

const unexpected = (type: VariableType, pointer: string): ValueCheck =>
  wrong(pointer, `${capital(describeType(type))} is expected here.`);

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

/** The tool reads decimal texts as numbers, never booleans. */
const isNumeric = (value: Json): boolean =>
  typeof value === 'string'
    ? /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(value)
    : typeof value === 'number' || value instanceof ExactNumber;

/** The tool reads these four texts as booleans, never numbers. */
const isBoolean = (value: Json): boolean =>
  typeof value === 'string' ? ['true', 'false', '1', '0'].includes(value) : typeof value === 'boolean';

type ListType = Extract<VariableType, { element: VariableType } | { elements: readonly VariableType[] }>;

function checkList(type: ListType, items: readonly Json[], pointer: string): ValueCheck {
  if (type.kind === 'tuple' && items.length !== type.elements.length) return unexpected(type, pointer);
  for (const [index, item] of items.entries()) {
    const expected = type.kind === 'tuple' ? (type.elements[index] as VariableType) : type.element;
    const check = checkInner(expected, item, `${pointer}/${index}`);
    if (!check.ok) return check;
  }
  return fits;
}

function checkMembers(type: VariableType, value: JsonObject, pointer: string): ValueCheck {
  for (const [key, member] of Object.entries(value)) {
    const check = checkInner(type, member, `${pointer}/${escapePointer(key)}`);
    if (!check.ok) return check;
  }
  return fits;
}

function checkAttributes(attributes: readonly ObjectAttribute[], value: JsonObject, pointer: string): ValueCheck {
  for (const { name, type, optional } of attributes) {
    const at = `${pointer}/${escapePointer(name)}`;
    if (!Object.hasOwn(value, name)) {
      if (optional) continue;
      return wrong(at, `The attribute "${name}" is missing: ${describeType(type)} is expected.`);
    }
    const check = checkInner(type, value[name] as Json, at);
    if (!check.ok) return check;
  }
  return fits;
}
