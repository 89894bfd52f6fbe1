import { ExactNumber, parseExactly, writeJson } from '#shared/kernel/exact-number';
import { isContainer, isJsonObject, type Json, type JsonObject } from '#shared/kernel/json';
import type { ObjectAttribute, VariableType } from '#shared/variables/type-expression';

/**
 * A value while it is typed, possibly incomplete: numbers are texts, keys may repeat, and JSON may not parse yet.
 * Members that an object leaves out are absent. It is plain data, so that it can be stored for a reload.
 */
export type Draft =
  | { readonly kind: 'null' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bool'; readonly value?: boolean }
  | { readonly kind: 'items'; readonly items: readonly Item[] }
  | { readonly kind: 'pairs'; readonly pairs: readonly Pair[] }
  | { readonly kind: 'members'; readonly members: Readonly<Record<string, Draft>> }
  | { readonly kind: 'json'; readonly text: string };
/** `id` identifies a row while rows before it are added and removed. */
type Item = { readonly id: string; readonly draft: Draft };
type Pair = Item & { readonly key: string };

/** Structures deeper than this are typed as JSON: nested boxes stop being readable. */
const maxFieldDepth = 3;

const isScalar = ({ kind }: VariableType): boolean => kind === 'string' || kind === 'number' || kind === 'bool';
const isAsJson = (type: VariableType, depth: number): boolean =>
  type.kind === 'any' || (!isScalar(type) && depth >= maxFieldDepth);

/** Reports whether a type is a structure with fields of its own. */
export const hasFields = (type: VariableType): boolean => !isScalar(type) && type.kind !== 'any';

export const newItem = (draft: Draft): Item => ({ id: crypto.randomUUID(), draft });
export const newPair = (key: string, draft: Draft): Pair => ({ ...newItem(draft), key });
export const prettyJson = (value: Json): string => writeJson(value, 2);

/** Returns a draft that contains only what the type requires. */
export function blankDraft(type: VariableType, depth = 0): Draft {
  if (isAsJson(type, depth)) return { kind: 'json', text: '' };
  switch (type.kind) {
    case 'bool':
      return { kind: 'bool' };
    case 'list':
    case 'set':
      return { kind: 'items', items: [] };
    case 'tuple':
      return { kind: 'items', items: type.elements.map((element) => newItem(blankDraft(element, depth + 1))) };
    case 'map':
      return { kind: 'pairs', pairs: [] };
    case 'object':
      return { kind: 'members', members: blankMembers(type.attributes, depth) };
    default:
      return { kind: 'text', text: '' };
  }
}

const blankMembers = (attributes: readonly ObjectAttribute[], depth: number): Record<string, Draft> =>
  Object.fromEntries(
    attributes.filter(({ optional }) => !optional).map(({ name, type }) => [name, blankDraft(type, depth + 1)]),
  );

/** Returns the draft of a value; undefined when the value does not match the type. */
export function draftOf(type: VariableType, value: Json, depth = 0): Draft | undefined {
  if (value === null) return { kind: 'null' };
  if (isAsJson(type, depth)) return { kind: 'json', text: prettyJson(value) };
  if (isList(type)) return Array.isArray(value) ? itemsDraft(type, value as readonly Json[], depth) : undefined;
  switch (type.kind) {
    case 'string':
    case 'number':
      return isContainer(value) ? undefined : { kind: 'text', text: String(value) };
    case 'bool':
      return boolDraft(value);
    case 'map':
      return isJsonObject(value) ? pairsDraft(type.element, value, depth) : undefined;
    case 'object':
      return isJsonObject(value) ? membersDraft(type.attributes, value, depth) : undefined;
    default:
      return undefined;
  }
}

function boolDraft(value: Json): Draft | undefined {
  if (typeof value === 'boolean') return { kind: 'bool', value };
  if (value === 'true' || value === '1') return { kind: 'bool', value: true };
  return value === 'false' || value === '0' ? { kind: 'bool', value: false } : undefined;
}

type ListType = VariableType & { kind: 'list' | 'set' | 'tuple' };

function itemsDraft(type: ListType, values: readonly Json[], depth: number): Draft | undefined {
  if (type.kind === 'tuple' && type.elements.length !== values.length) return undefined;
  const items: Item[] = [];
  for (const [index, value] of values.entries()) {
    const draft = draftOf(elementOf(type, index), value, depth + 1);
    if (!draft) return undefined;
    items.push(newItem(draft));
  }
  return { kind: 'items', items };
}

/** Returns the type of a list item by index. */
export const elementOf = (type: ListType, index: number): VariableType =>
  type.kind === 'tuple' ? (type.elements[index] ?? { kind: 'any' }) : type.element;

function pairsDraft(element: VariableType, value: JsonObject, depth: number): Draft | undefined {
  const pairs: Pair[] = [];
  for (const [key, member] of Object.entries(value)) {
    const draft = draftOf(element, member, depth + 1);
    if (!draft) return undefined;
    pairs.push(newPair(key, draft));
  }
  return { kind: 'pairs', pairs };
}

function membersDraft(attributes: readonly ObjectAttribute[], value: JsonObject, depth: number): Draft | undefined {
  const members: Record<string, Draft> = {};
  // A member outside the type has no field, so the value stays JSON.
  if (Object.keys(value).some((key) => !attributes.some(({ name }) => name === key))) return undefined;
  for (const { name, type, optional } of attributes) {
    const member = Object.hasOwn(value, name) ? value[name] : undefined;
    if (member === undefined || (member === null && optional)) {
      if (!optional) members[name] = blankDraft(type, depth + 1);
      continue;
    }
    const draft = draftOf(type, member, depth + 1);
    if (!draft) return undefined;
    members[name] = draft;
  }
  return { kind: 'members', members };
}

/** The value as far as it can be parsed, so that the user can continue as JSON. */
export function roughValue(type: VariableType, draft: Draft): Json {
  switch (draft.kind) {
    case 'null':
      return null;
    case 'text':
      return type.kind === 'number' ? numberOf(draft.text) : draft.text;
    case 'bool':
      return draft.value ?? null;
    case 'json':
      return jsonOr(draft.text);
    case 'items':
      return draft.items.map((item, index) =>
        roughValue(isList(type) ? elementOf(type, index) : { kind: 'any' }, item.draft),
      );
    case 'pairs':
      return Object.fromEntries(
        draft.pairs.map(({ key, draft: member }) => [
          key,
          roughValue(type.kind === 'map' ? type.element : { kind: 'any' }, member),
        ]),
      );
    case 'members':
      return Object.fromEntries(
        Object.entries(draft.members).map(([name, member]) => [name, roughValue(memberType(type, name), member)]),
      );
  }
}

export const isList = (type: VariableType): type is ListType =>
  type.kind === 'list' || type.kind === 'set' || type.kind === 'tuple';

const memberType = (type: VariableType, name: string): VariableType =>
  (type.kind === 'object' ? type.attributes.find((one) => one.name === name)?.type : undefined) ?? { kind: 'any' };

function jsonOr(text: string): Json {
  try {
    return parseExactly(text) as Json;
  } catch {
    return text;
  }
}

/** Parses a number. Returns the text itself when JSON has no form of it, such as `+1`, because the tool accepts it. */
export const numberOf = (text: string): Json => ExactNumber.read(text.trim()) ?? text.trim();
