/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export type JsonBounds = { depth: number; nodes: number; keyBytes: number; stringBytes: number };

/** Bounds of a JSON value that a person submits as a variable. */
export const boundedJson: JsonBounds = { depth: 32, nodes: 4_096, keyBytes: 256, stringBytes: 32_768 };

const utf8 = new TextEncoder();
const byteLength = (text: string): number => utf8.encode(text).length;

/** The JSON Pointer of the first place where a value is larger than the bounds allow, or undefined when it fits. */
export function findOutOfBounds(value: Json, bounds: JsonBounds): string | undefined {
  let nodes = 0;
  const isContainer = (item: Json): item is readonly Json[] | JsonObject => item !== null && typeof item === 'object';
  const isOversized = (item: Json, depth: number): boolean =>
    nodes > bounds.nodes ||
    depth > bounds.depth ||
    (typeof item === 'string' && byteLength(item) > bounds.stringBytes) ||
    (isContainer(item) && Object.keys(item).some((key) => byteLength(key) > bounds.keyBytes));
  const visit = (item: Json, parentDepth: number, pointer: string): string | undefined => {
    nodes += 1;
    const depth = parentDepth + (isContainer(item) ? 1 : 0);
    if (isOversized(item, depth)) return pointer;
    if (!isContainer(item)) return undefined;
    for (const [key, child] of Object.entries(item)) {
      const found = visit(child as Json, depth, `${pointer}/${escapePointer(key)}`);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return visit(value, 0, '');
}

/** One reference token of a JSON Pointer (RFC 6901). */
export const escapePointer = (token: string): string => token.replaceAll('~', '~0').replaceAll('/', '~1');

/** Why a JSON text was refused: a sentence for a person, never a value of the text. */
export class JsonError extends Error {}

export type StrictJsonOptions = {
  maxDepth?: number;
  /** `kept` for documents whose keys are somebody's data; then nothing may copy them by assignment. Default `refused`. */
  protoKey?: 'refused' | 'kept';
  /** `kept` for documents of the tool, whose numbers may exceed those of JavaScript. Default `refused`. */
  hugeNumbers?: 'refused' | 'kept';
};

/** An escape of half a character (RFC 8785, 3.2.2.2 knows no form of it): no digest can be taken of it, and no file keeps it. */
const isWhole = (value: Json): boolean => {
  if (typeof value === 'string') return value.isWellFormed();
  if (value === null || typeof value !== 'object') return true;
  return Object.entries(value).every(([key, child]) => key.isWellFormed() && isWhole(child as Json));
};

const isFiniteJson = (value: Json): boolean => {
  if (typeof value === 'number') return Number.isFinite(value);
  if (value === null || typeof value !== 'object') return true;
  return Object.values(value).every((child) => isFiniteJson(child as Json));
};

/**
 * Digits or an exponent that may exceed the largest number of JavaScript, about 1.8e308. With an exponent of one digit
 * that takes some 300 digits before it.
 */
const maybeHuge = /\d[eE]\+?\d{2}|\d{200}/;

/**
 * Parses a JSON text and refuses what `JSON.parse` accepts: duplicate keys, the key `__proto__`, nesting deeper than
 * `maxDepth` containers (64), texts that hold half a character, and numbers that would become infinite. Throws
 * `JsonError`.
 */
export function parseStrictJson(
  text: string,
  { maxDepth = 64, protoKey = 'refused', hugeNumbers = 'refused' }: StrictJsonOptions = {},
): Json {
  let parsed: Json;
  try {
    parsed = JSON.parse(text) as Json;
  } catch {
    throw new JsonError('The text is not valid JSON.');
  }
  checkKeys(text, maxDepth, protoKey);
  if (/\\u[dD][89a-fA-F]/.test(text) && !isWhole(parsed))
    throw new JsonError('A text holds half a character: a surrogate without its other half.');
  if (hugeNumbers === 'refused' && maybeHuge.test(text) && !isFiniteJson(parsed))
    throw new JsonError('A number is too large. Use a number below 1.8e308.');
  return parsed;
}

/** Walks a text already known to be valid JSON, so that only strings and brackets matter. */
function checkKeys(text: string, maxDepth: number, protoKey: 'refused' | 'kept'): void {
  const open: (Set<string> | null)[] = [];
  let index = 0;
  while (index < text.length) {
    const char = text[index];
    if (char === '"') {
      const end = endOfString(text, index);
      if (nextMark(text, end) === ':') addKey(open.at(-1), text.slice(index, end), protoKey);
      index = end;
    } else {
      if (char !== undefined) trackNesting(open, char, maxDepth);
      index += 1;
    }
  }
}

function trackNesting(open: (Set<string> | null)[], char: string, maxDepth: number): void {
  if (char === '}' || char === ']') open.pop();
  if (char !== '{' && char !== '[') return;
  open.push(char === '{' ? new Set() : null);
  if (open.length > maxDepth) throw new JsonError(`The JSON is nested deeper than ${maxDepth} levels.`);
}

function addKey(keys: Set<string> | null | undefined, literal: string, protoKey: 'refused' | 'kept'): void {
  const key = JSON.parse(literal) as string;
  if (key === '__proto__' && protoKey === 'refused') throw new JsonError('The key __proto__ is not allowed.');
  if (keys?.has(key)) throw new JsonError('A key appears twice in one object.');
  keys?.add(key);
}

function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
  return index + 1;
}

function nextMark(text: string, from: number): string | undefined {
  let index = from;
  while (index < text.length && ' \t\r\n'.includes(text[index] as string)) index += 1;
  return text[index];
}
