import { escapePointer, isContainer, type Json, parseStrictJson } from '#shared/kernel/json';
import { isSecretLike } from '#shared/secret-like';
import type { VariableType } from '#shared/variables/type-expression';
import { checkValue } from '#shared/variables/value';
import type { TextId, Values } from '../../i18n/text.ts';
import { type Draft, elementOf, isList, numberOf } from './draft.ts';

/** Problem of a value: its JSON Pointer and a text of the catalogue. */
export type Problem = { pointer: string; text: TextId; values?: Values };
type Read = { ok: true; value: Json } | { ok: false; problem: Problem };

const fine = (value: Json): Read => ({ ok: true, value });
const wrong = (pointer: string, text: TextId, values?: Values): Read => ({
  ok: false,
  problem: { pointer, text, ...(values && { values }) },
});

/** Returns the value of a draft or its first problem. An undefined `type` could not be parsed and accepts anything. */
export function readDraft(type: VariableType, draft: Draft, options: { nullable: boolean }): Read {
  const read = readAt(type, draft, '');
  if (!read.ok) return read;
  if (read.value === null && !options.nullable) return wrong('', 'input.notNull');
  const check = checkValue(type, read.value, options);
  return check.ok ? read : { ok: false, problem: problemAt(type, read.value, check.pointer) };
}

function readAt(type: VariableType, draft: Draft, pointer: string): Read {
  switch (draft.kind) {
    case 'null':
      return fine(null);
    case 'text':
      return type.kind === 'number' ? readNumber(draft.text, pointer) : fine(draft.text);
    case 'bool':
      return draft.value === undefined ? wrong(pointer, 'input.expected.bool') : fine(draft.value);
    case 'json':
      return readJson(draft.text, pointer);
    case 'items':
      return readItems(type, draft, pointer);
    case 'pairs':
      return readPairs(type, draft, pointer);
    case 'members':
      return readMembers(type, draft, pointer);
  }
}

function readNumber(text: string, pointer: string): Read {
  const isNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text.trim());
  return isNumber ? fine(numberOf(text)) : wrong(pointer, 'input.expected.number');
}

function readJson(text: string, pointer: string): Read {
  if (text.trim() === '') return wrong(pointer, 'input.jsonEmpty');
  try {
    return fine(parseStrictJson(text));
  } catch {
    return wrong(pointer, 'input.notJson');
  }
}

function readItems(type: VariableType, draft: Extract<Draft, { kind: 'items' }>, pointer: string): Read {
  const values: Json[] = [];
  for (const [index, item] of draft.items.entries()) {
    const read = readAt(isList(type) ? elementOf(type, index) : { kind: 'any' }, item.draft, `${pointer}/${index}`);
    if (!read.ok) return read;
    values.push(read.value);
  }
  return fine(values);
}

function readPairs(type: VariableType, draft: Extract<Draft, { kind: 'pairs' }>, pointer: string): Read {
  const values = new Map<string, Json>();
  for (const [index, { key, draft: member }] of draft.pairs.entries()) {
    const at = `${pointer}/${index}`;
    if (key === '__proto__') return wrong(at, 'input.keyReserved');
    if (values.has(key)) return wrong(at, 'input.keyTwice', { key });
    const read = readAt(type.kind === 'map' ? type.element : { kind: 'any' }, member, at);
    if (!read.ok) return read;
    values.set(key, read.value);
  }
  return fine(Object.fromEntries(values));
}

function readMembers(type: VariableType, draft: Extract<Draft, { kind: 'members' }>, pointer: string): Read {
  const values: Record<string, Json> = {};
  for (const { name, type: memberType } of type.kind === 'object' ? type.attributes : []) {
    const member = draft.members[name];
    if (!member) continue;
    const read = readAt(memberType, member, `${pointer}/${escapePointer(name)}`);
    if (!read.ok) return read;
    values[name] = read.value;
  }
  return fine(values);
}

const expected = {
  string: 'input.expected.string',
  number: 'input.expected.number',
  bool: 'input.expected.bool',
  list: 'input.expected.list',
  set: 'input.expected.list',
  tuple: 'input.expected.list',
  map: 'input.expected.map',
  object: 'input.expected.object',
  any: 'input.expected.any',
} as const satisfies Record<VariableType['kind'], TextId>;

/** Resolves a pointer through type and value and describes the expected value. */
function problemAt(type: VariableType, value: Json, pointer: string): Problem {
  let at: VariableType = type;
  let here: Json | undefined = value;
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    at = stepInto(at, name);
    here = here === undefined ? undefined : (here as { [key: string]: Json } | null)?.[name];
  }
  if (here === undefined) return { pointer, text: 'input.missing', values: { place: formatPointer(pointer) } };
  if (at.kind === 'tuple') return { pointer, text: 'input.expected.tuple', values: { count: at.elements.length } };
  return { pointer, text: expected[at.kind] };
}

function stepInto(type: VariableType, name: string): VariableType {
  if (isList(type)) return elementOf(type, Number(name));
  if (type.kind === 'map') return type.element;
  const attribute = type.kind === 'object' ? type.attributes.find((one) => one.name === name) : undefined;
  return attribute?.type ?? { kind: 'any' };
}

/** Formats a pointer as a path: `a.b[0]`. */
export const formatPointer = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((token, index) => (/^\d+$/.test(token) ? `[${token}]` : index === 0 ? token : `.${token}`))
    .join('');

/** Reports whether any text of the value looks like a credential, which only a secret input may hold. */
export const holdsCredential = (value: Json): boolean => {
  if (typeof value === 'string') return isSecretLike(value);
  return isContainer(value) && Object.values(value).some((one) => holdsCredential(one as Json));
};
