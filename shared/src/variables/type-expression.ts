import type { Json } from '../kernel/json.ts';
import { parseLiteral } from './literal.ts';
import { Cursor } from './token-cursor.ts';
import { tokenize } from './tokens.ts';

/** A type constraint of a variable, as `type = …` writes it. */
export type VariableType =
  | { readonly kind: 'string' | 'number' | 'bool' | 'any' }
  | { readonly kind: 'list' | 'set' | 'map'; readonly element: VariableType }
  | { readonly kind: 'object'; readonly attributes: readonly ObjectAttribute[] }
  | { readonly kind: 'tuple'; readonly elements: readonly VariableType[] };

/** `default` is present when the expression gives a literal default; without it an optional attribute is null. */
export type ObjectAttribute = {
  readonly name: string;
  readonly type: VariableType;
  readonly optional: boolean;
  readonly default?: Json;
};

const maxDepth = 64;
const any: VariableType = { kind: 'any' };

/** Returns the expression without comments, blank lines, trailing blanks, and the `${…}` that may wrap it. */
export function cleanTypeText(text: string): string {
  return withoutComments(unwrap(text))
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n')
    .trim();
}

function withoutComments(text: string): string {
  if (!/[#/]/.test(text)) return text;
  let code = '';
  for (const token of tokenize(text)) code += token.kind === 'comment' ? ' ' : token.text;
  return code;
}

const unwrap = (text: string): string => (/^\$\{[\s\S]*\}$/.test(text.trim()) ? text.trim().slice(2, -1) : text);

/**
 * Parses a type expression: the keywords of the language, `list` and `map` alone, the quoted forms of old modules,
 * `optional(type, default)` inside objects. Returns undefined for anything else, and for nesting deeper than 64.
 */
export function parseType(typeText: string): VariableType | undefined {
  const code = cleanTypeText(typeText);
  const legacy = /^"(string|number|bool|any|list|map)"$/.exec(code)?.[1];
  const bare = /^(list|map)$/.exec(legacy ?? code)?.[1] as 'list' | 'map' | undefined;
  if (bare) return { kind: bare, element: any };
  const cursor = new Cursor(legacy ?? code);
  const type = readType(cursor, 0);
  return type && cursor.atEnd() ? type : undefined;
}

function readType(cursor: Cursor, depth: number): VariableType | undefined {
  if (depth > maxDepth) return undefined;
  const keyword = cursor.take('name');
  switch (keyword) {
    case 'string':
    case 'number':
    case 'bool':
    case 'any':
      return { kind: keyword };
    case 'list':
    case 'set':
    case 'map':
      return between(cursor, '(', ')', () => readCollection(cursor, keyword, depth));
    case 'object':
      return between(cursor, '(', ')', () => between(cursor, '{', '}', () => readAttributes(cursor, depth)));
    case 'tuple':
      return between(cursor, '(', ')', () => between(cursor, '[', ']', () => readElements(cursor, depth)));
    default:
      return undefined;
  }
}

/** Returns the result of `read` between the two marks, or undefined when a mark is missing. */
function between<T>(cursor: Cursor, open: string, close: string, read: () => T | undefined): T | undefined {
  if (!cursor.skip(open)) return undefined;
  const result = read();
  cursor.skip(',');
  return result !== undefined && cursor.skip(close) ? result : undefined;
}

function readCollection(cursor: Cursor, kind: 'list' | 'set' | 'map', depth: number): VariableType | undefined {
  const element = readType(cursor, depth + 1);
  return element && { kind, element };
}

function readElements(cursor: Cursor, depth: number): VariableType | undefined {
  const elements: VariableType[] = [];
  while (!cursor.at(']')) {
    const element = readType(cursor, depth + 1);
    if (!element) return undefined;
    elements.push(element);
    if (!cursor.skip(',')) break;
  }
  return { kind: 'tuple', elements };
}

function readAttributes(cursor: Cursor, depth: number): VariableType | undefined {
  const attributes = new Map<string, ObjectAttribute>();
  while (!cursor.at('}')) {
    const name = cursor.takeKey();
    if (name === undefined || attributes.has(name) || !(cursor.skip('=') || cursor.skip(':'))) return undefined;
    const attribute = readAttribute(cursor, name, depth + 1);
    if (!attribute) return undefined;
    attributes.set(name, attribute);
    cursor.skip(',');
  }
  return { kind: 'object', attributes: [...attributes.values()] };
}

function readAttribute(cursor: Cursor, name: string, depth: number): ObjectAttribute | undefined {
  if (!cursor.at('optional')) {
    const type = readType(cursor, depth);
    return type && { name, type, optional: false };
  }
  cursor.take('name');
  return between(cursor, '(', ')', () => {
    const type = readType(cursor, depth);
    if (!type) return undefined;
    const fallback = cursor.skip(',') && !cursor.at(')') ? parseLiteral(cursor.takeExpression()) : undefined;
    return { name, type, optional: true, ...(fallback === undefined ? {} : { default: fallback }) };
  });
}
